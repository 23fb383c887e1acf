/*
 * The structures that the kernel is called with, as its own headers lay them out for the processor that is compiled for.
 * P is the size of a pointer there. On the left is what the headers say, on the right what boards/raspberry-pi writes.
 */
#include <linux/gpio.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <linux/spi/spidev.h>
#include <stddef.h>

#define P (sizeof(void *))
#define IS(value, written) _Static_assert((value) == (written), #value " is not " #written)
#define SIZE(type, bytes) IS(sizeof(type), bytes)
#define AT(type, member, offset) IS(offsetof(type, member), offset)

/* gpio/uapi.ts */
SIZE(struct gpiochip_info, 68);
AT(struct gpiochip_info, label, 32);
AT(struct gpiochip_info, lines, 64);

SIZE(struct gpio_v2_line_info, 256);
AT(struct gpio_v2_line_info, consumer, 32);
AT(struct gpio_v2_line_info, offset, 64);
AT(struct gpio_v2_line_info, flags, 72);

SIZE(struct gpio_v2_line_request, 592);
AT(struct gpio_v2_line_request, offsets, 0);
AT(struct gpio_v2_line_request, consumer, 256);
AT(struct gpio_v2_line_request, config, 288);
AT(struct gpio_v2_line_request, num_lines, 560);
AT(struct gpio_v2_line_request, event_buffer_size, 564);
AT(struct gpio_v2_line_request, fd, 588);

SIZE(struct gpio_v2_line_config, 272);
AT(struct gpio_v2_line_config, flags, 0);
AT(struct gpio_v2_line_config, num_attrs, 8);
AT(struct gpio_v2_line_config, attrs, 32);
SIZE(struct gpio_v2_line_config_attribute, 24);
AT(struct gpio_v2_line_config_attribute, attr.id, 0);
AT(struct gpio_v2_line_config_attribute, attr.values, 8);
AT(struct gpio_v2_line_config_attribute, attr.debounce_period_us, 8);
AT(struct gpio_v2_line_config_attribute, mask, 16);

SIZE(struct gpio_v2_line_values, 16);
AT(struct gpio_v2_line_values, bits, 0);
AT(struct gpio_v2_line_values, mask, 8);

SIZE(struct gpio_v2_line_event, 48);
AT(struct gpio_v2_line_event, timestamp_ns, 0);
AT(struct gpio_v2_line_event, id, 8);

/* bus/i2c.ts and bus/smbus.ts */
SIZE(struct i2c_msg, 8 + P);
AT(struct i2c_msg, addr, 0);
AT(struct i2c_msg, flags, 2);
AT(struct i2c_msg, len, 4);
AT(struct i2c_msg, buf, 8);

SIZE(struct i2c_rdwr_ioctl_data, 2 * P);
AT(struct i2c_rdwr_ioctl_data, msgs, 0);
AT(struct i2c_rdwr_ioctl_data, nmsgs, P);

SIZE(struct i2c_smbus_ioctl_data, 8 + P);
AT(struct i2c_smbus_ioctl_data, read_write, 0);
AT(struct i2c_smbus_ioctl_data, command, 1);
AT(struct i2c_smbus_ioctl_data, size, 4);
AT(struct i2c_smbus_ioctl_data, data, 8);
SIZE(union i2c_smbus_data, 34);
/* I2C_FUNCS fills an unsigned long. */
SIZE(unsigned long, P);

/* bus/spi.ts */
SIZE(struct spi_ioc_transfer, 32);
AT(struct spi_ioc_transfer, tx_buf, 0);
AT(struct spi_ioc_transfer, rx_buf, 8);
AT(struct spi_ioc_transfer, len, 16);
