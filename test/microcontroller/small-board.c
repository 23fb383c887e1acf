/* The device whose size is measured: two sensors and two actuators, on a platform that is next to nothing. */
#include "ferrule/device.h"

static volatile uint8_t port, output;
static volatile uint32_t ticks;

static int read_byte(void *context) {
  (void)context;
  return port;
}

static void write_byte(void *context, uint8_t byte) {
  (void)context;
  port = byte;
}

static uint32_t millis_now(void *context) {
  (void)context;
  return ticks;
}

static ferrule_status read_temperature(ferrule_reading *reading) { return ferrule_number(reading, port); }

static ferrule_status read_moisture(ferrule_reading *reading) { return ferrule_mapped(reading, port, 0, 1023); }

static ferrule_status set_lamp(ferrule_call *call) {
  output = (uint8_t)ferrule_value(call, 0);
  return FERRULE_DONE;
}

static ferrule_status set_fan(ferrule_call *call) {
  output = (uint8_t)ferrule_value(call, 0);
  return FERRULE_DONE;
}

FERRULE_SENSOR(temperature, "Temperature", "Cel", read_temperature, FERRULE_NUMBER(1), FERRULE_DEAD_BAND(5));
FERRULE_SENSOR(moisture, "Soil moisture", "%", read_moisture, FERRULE_INTEGER, FERRULE_RANGE(0, 100));
FERRULE_ARGUMENT(on, "", "", FERRULE_BOOLEAN);
FERRULE_ARGUMENT(percent, "", "%", FERRULE_INTEGER, FERRULE_RANGE(0, 100));
FERRULE_ACTUATOR(lamp, "Lamp", set_lamp, FERRULE_TAKES(on), FERRULE_SAFE(false), FERRULE_HARMLESS);
FERRULE_ACTUATOR(fan, "Fan", set_fan, FERRULE_TAKES(percent), FERRULE_SAFE(0), FERRULE_HARMLESS);
FERRULE_DEVICE(greenhouse, "Greenhouse", "1.0");

static const ferrule_platform platform = {read_byte, write_byte, millis_now, millis_now};

int main(void) {
  ferrule_add_sensor(&greenhouse, &temperature);
  ferrule_add_sensor(&greenhouse, &moisture);
  ferrule_add_actuator(&greenhouse, &lamp);
  ferrule_add_actuator(&greenhouse, &fan);
  ferrule_begin(&greenhouse, &platform, NULL);
  for (;;) ferrule_poll(&greenhouse);
}
