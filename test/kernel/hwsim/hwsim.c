// SPDX-License-Identifier: GPL-2.0
/*
 * Buses and chips for tests, where mainline has no simulator (Linux 6.1):
 *
 *   SPI bus 0      chip select 0: what is sent comes back; chip select 1: an MCP3008
 *   I2C            0x50: an EEPROM of 256 bytes; 0x40: a chip with 16-bit registers, high byte first
 *   PWM            a controller with four channels
 *   1-Wire         a master with two DS18B20, read through the kernel's own w1_therm
 *   thermal zone   cpu-thermal
 *
 * Tests steer it through /sys/module/hwsim/parameters.
 */
#include <linux/delay.h>
#include <linux/i2c.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pwm.h>
#include <linux/spi/spi.h>
#include <linux/thermal.h>
#include <linux/w1.h>

#define THERMOMETERS 2

static int adc[8] = { 0, 128, 256, 384, 512, 640, 768, 1023 };
module_param_array(adc, int, NULL, 0644);
MODULE_PARM_DESC(adc, "counts at the eight inputs of the MCP3008");

static int spi_fault_n;
module_param(spi_fault_n, int, 0644);
MODULE_PARM_DESC(spi_fault_n, "so many next SPI transfers fail with EIO");

static int i2c_fault;
module_param(i2c_fault, int, 0644);
MODULE_PARM_DESC(i2c_fault, "the error number of failing I2C transfers");

static int i2c_fault_n;
module_param(i2c_fault_n, int, 0644);
MODULE_PARM_DESC(i2c_fault_n, "so many next I2C transfers fail");

static int i2c_delay_ms;
module_param(i2c_delay_ms, int, 0644);
MODULE_PARM_DESC(i2c_delay_ms, "how long each I2C transfer takes");

static int w1_temp[THERMOMETERS] = { 21500, -10125 };
module_param_array(w1_temp, int, NULL, 0644);
MODULE_PARM_DESC(w1_temp, "what the thermometers measure, in thousandths of a degree");

static int w1_badcrc;
module_param(w1_badcrc, int, 0644);
MODULE_PARM_DESC(w1_badcrc, "so many next scratchpads have a wrong checksum");

static int w1_dip;
module_param(w1_dip, int, 0644);
MODULE_PARM_DESC(w1_dip, "so many next conversions lose their power: the power-on value stays");

static int w1_present = (1 << THERMOMETERS) - 1;
module_param(w1_present, int, 0644);
MODULE_PARM_DESC(w1_present, "which thermometers are plugged in, as a bit mask");

static int cpu_temp = 48250;
module_param(cpu_temp, int, 0644);
MODULE_PARM_DESC(cpu_temp, "the temperature of the thermal zone, in thousandths of a degree");

static struct platform_device *pdev;

/* SPI */

static struct spi_controller *controller;

static void mcp3008(const u8 *tx, u8 *rx, unsigned int len)
{
	unsigned int i;

	memset(rx, 0, len);
	for (i = 0; tx && i + 2 < len; i += 3) {
		int counts;

		if (tx[i] != 1)
			continue;
		counts = adc[(tx[i + 1] >> 4) & 7] & 1023;
		rx[i + 1] = counts >> 8;
		rx[i + 2] = counts & 255;
	}
}

static int sim_spi_transfer(struct spi_controller *c, struct spi_device *s,
			    struct spi_transfer *t)
{
	if (spi_fault_n > 0) {
		spi_fault_n--;
		return -EIO;
	}
	if (!t->rx_buf)
		return 0;
	if (spi_get_chipselect(s, 0) == 1)
		mcp3008(t->tx_buf, t->rx_buf, t->len);
	else if (t->tx_buf)
		memcpy(t->rx_buf, t->tx_buf, t->len);
	else
		memset(t->rx_buf, 0xff, t->len);
	return 0;
}

static void sim_spi_set_cs(struct spi_device *s, bool on)
{
}

/* I2C */

static u8 eeprom[256], eeprom_at;
static u16 registers[256];
static u8 register_at;

static void eeprom_message(struct i2c_msg *m)
{
	int i;

	for (i = 0; i < m->len; i++) {
		if (m->flags & I2C_M_RD)
			m->buf[i] = eeprom[eeprom_at++];
		else if (i == 0)
			eeprom_at = m->buf[0];
		else
			eeprom[eeprom_at++] = m->buf[i];
	}
}

static void registers_message(struct i2c_msg *m)
{
	int i;

	for (i = 0; i < m->len; i++) {
		if (m->flags & I2C_M_RD)
			m->buf[i] = registers[register_at] >> ((i & 1) ? 0 : 8);
		else if (i == 0)
			register_at = m->buf[0];
		else
			registers[register_at] = registers[register_at] << 8 | m->buf[i];
	}
}

static int sim_i2c_transfer(struct i2c_adapter *a, struct i2c_msg *m, int n)
{
	int i;

	if (i2c_delay_ms)
		msleep(i2c_delay_ms);
	if (i2c_fault_n > 0) {
		i2c_fault_n--;
		return -i2c_fault;
	}
	for (i = 0; i < n; i++) {
		if (m[i].addr == 0x50)
			eeprom_message(&m[i]);
		else if (m[i].addr == 0x40)
			registers_message(&m[i]);
		else
			return -ENXIO;
	}
	return n;
}

static u32 sim_i2c_functions(struct i2c_adapter *a)
{
	return I2C_FUNC_I2C | I2C_FUNC_SMBUS_EMUL;
}

static const struct i2c_algorithm sim_i2c_algorithm = {
	.master_xfer = sim_i2c_transfer,
	.functionality = sim_i2c_functions,
};

static struct i2c_adapter adapter = {
	.owner = THIS_MODULE,
	.algo = &sim_i2c_algorithm,
	.name = "hwsim i2c",
	.class = I2C_CLASS_HWMON,
};

/* PWM */

static int sim_pwm_apply(struct pwm_chip *c, struct pwm_device *p,
			 const struct pwm_state *s)
{
	return 0;
}

static const struct pwm_ops sim_pwm_ops = {
	.apply = sim_pwm_apply,
	.owner = THIS_MODULE,
};

static struct pwm_chip pwm = { .ops = &sim_pwm_ops, .npwm = 4 };

/* 1-Wire: the commands of a DS18B20, byte by byte */

#define SKIP_ROM 0xcc
#define MATCH_ROM 0x55
#define CONVERT_T 0x44
#define READ_SCRATCHPAD 0xbe
#define WRITE_SCRATCHPAD 0x4e

static enum { W1_ROM, W1_MATCH, W1_FUNCTION, W1_READ, W1_WRITE, W1_IDLE } w1_state;
static u64 rom[THERMOMETERS];
static u8 scratchpad[THERMOMETERS][9];
static u8 matched[8];
static int selected, at;

static const u8 power_on[9] = { 0x50, 0x05, 0x4b, 0x46, 0x7f, 0xff, 0x0c, 0x10 };

static bool is_present(int i)
{
	return w1_present >> i & 1;
}

static void measure(int i)
{
	int raw = w1_temp[i] * 16 / 1000;

	if (w1_dip > 0) {
		w1_dip--;
		memcpy(scratchpad[i], power_on, sizeof(power_on));
		return;
	}
	scratchpad[i][0] = raw;
	scratchpad[i][1] = raw >> 8;
}

static void select_matched(void)
{
	u64 wanted = le64_to_cpup((__le64 *)matched);
	int i;

	selected = -1;
	for (i = 0; i < THERMOMETERS; i++)
		if (rom[i] == wanted && is_present(i))
			selected = i;
}

static void w1_function(u8 command)
{
	u8 *pad = scratchpad[selected];

	switch (command) {
	case CONVERT_T:
		measure(selected);
		w1_state = W1_IDLE;
		break;
	case READ_SCRATCHPAD:
		pad[8] = w1_calc_crc8(pad, 8);
		if (w1_badcrc > 0) {
			w1_badcrc--;
			pad[8] ^= 0xff;
		}
		at = 0;
		w1_state = W1_READ;
		break;
	case WRITE_SCRATCHPAD:
		at = 2;
		w1_state = W1_WRITE;
		break;
	default:
		w1_state = W1_IDLE;
	}
}

static u8 sim_w1_reset(void *data)
{
	w1_state = W1_ROM;
	return w1_present ? 0 : 1;
}

static void sim_w1_write_byte(void *data, u8 byte)
{
	switch (w1_state) {
	case W1_ROM:
		at = 0;
		selected = is_present(0) ? 0 : 1;
		w1_state = byte == SKIP_ROM ? W1_FUNCTION : byte == MATCH_ROM ? W1_MATCH : W1_IDLE;
		break;
	case W1_MATCH:
		matched[at++] = byte;
		if (at < 8)
			break;
		select_matched();
		w1_state = selected < 0 ? W1_IDLE : W1_FUNCTION;
		break;
	case W1_FUNCTION:
		w1_function(byte);
		break;
	case W1_WRITE:
		if (at < 5)
			scratchpad[selected][at++] = byte;
		break;
	default:
		break;
	}
}

static u8 sim_w1_read_byte(void *data)
{
	return w1_state == W1_READ && at < 9 ? scratchpad[selected][at++] : 0xff;
}

static u8 sim_w1_read_block(void *data, u8 *bytes, int n)
{
	int i;

	for (i = 0; i < n; i++)
		bytes[i] = sim_w1_read_byte(data);
	return n;
}

static void sim_w1_write_block(void *data, const u8 *bytes, int n)
{
	while (n--)
		sim_w1_write_byte(data, *bytes++);
}

static u8 sim_w1_touch_bit(void *data, u8 bit)
{
	return 1;
}

static void sim_w1_search(void *data, struct w1_master *m, u8 type,
			  w1_slave_found_callback found)
{
	int i;

	for (i = 0; i < THERMOMETERS; i++)
		if (is_present(i))
			found(m, rom[i]);
}

static struct w1_bus_master w1 = {
	.reset_bus = sim_w1_reset,
	.write_byte = sim_w1_write_byte,
	.read_byte = sim_w1_read_byte,
	.read_block = sim_w1_read_block,
	.write_block = sim_w1_write_block,
	.touch_bit = sim_w1_touch_bit,
	.search = sim_w1_search,
};

static void plug_in(int i)
{
	u64 address = 0x28 | (0x00000a0b0c0dULL + i) << 8;
	__le64 bytes = cpu_to_le64(address);

	rom[i] = address | (u64)w1_calc_crc8((u8 *)&bytes, 7) << 56;
	memcpy(scratchpad[i], power_on, sizeof(power_on));
}

/* thermal zone */

static struct thermal_zone_device *zone;

static int sim_zone_get_temp(struct thermal_zone_device *z, int *temp)
{
	*temp = cpu_temp;
	return 0;
}

static struct thermal_zone_device_ops zone_ops = { .get_temp = sim_zone_get_temp };

static int __init hwsim_init(void)
{
	/* spidev binds to few names; this is one of them. */
	struct spi_board_info chips[] = {
		{ .modalias = "dh2228fv", .chip_select = 0, .max_speed_hz = 10000000 },
		{ .modalias = "dh2228fv", .chip_select = 1, .max_speed_hz = 1000000 },
	};
	int i, rc;

	pdev = platform_device_register_simple("hwsim", -1, NULL, 0);
	if (IS_ERR(pdev))
		return PTR_ERR(pdev);

	controller = spi_alloc_master(&pdev->dev, 0);
	controller->bus_num = 0;
	controller->num_chipselect = ARRAY_SIZE(chips);
	controller->mode_bits = SPI_CPOL | SPI_CPHA | SPI_CS_HIGH | SPI_LSB_FIRST;
	controller->max_speed_hz = 50000000;
	controller->transfer_one = sim_spi_transfer;
	controller->set_cs = sim_spi_set_cs;
	rc = spi_register_controller(controller);
	if (rc)
		goto no_spi;
	for (i = 0; i < ARRAY_SIZE(chips); i++)
		spi_new_device(controller, &chips[i]);

	adapter.dev.parent = &pdev->dev;
	rc = i2c_add_adapter(&adapter);
	if (rc)
		goto no_i2c;

	pwm.dev = &pdev->dev;
	rc = pwmchip_add(&pwm);
	if (rc)
		goto no_pwm;

	for (i = 0; i < THERMOMETERS; i++)
		plug_in(i);
	rc = w1_add_master_device(&w1);
	if (rc)
		goto no_w1;

	zone = thermal_zone_device_register("cpu-thermal", 0, 0, NULL, &zone_ops, NULL, 0, 0);
	if (IS_ERR(zone)) {
		rc = PTR_ERR(zone);
		goto no_zone;
	}
	thermal_zone_device_enable(zone);
	return 0;

no_zone:
	w1_remove_master_device(&w1);
no_w1:
	pwmchip_remove(&pwm);
no_pwm:
	i2c_del_adapter(&adapter);
no_i2c:
	spi_unregister_controller(controller);
no_spi:
	platform_device_unregister(pdev);
	return rc;
}

static void __exit hwsim_exit(void)
{
	thermal_zone_device_unregister(zone);
	w1_remove_master_device(&w1);
	pwmchip_remove(&pwm);
	i2c_del_adapter(&adapter);
	spi_unregister_controller(controller);
	platform_device_unregister(pdev);
}

module_init(hwsim_init);
module_exit(hwsim_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Buses and chips for tests");
