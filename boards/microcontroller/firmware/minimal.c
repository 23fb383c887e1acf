/* The smallest of its kind: two sensors, two actuators. Its size is a promise, which a test holds. */
#include <avr/io.h>

#include "chip.h"

static ferrule_status read_moisture(ferrule_reading *reading) {
  return ferrule_mapped(reading, chip_analog(0), 0, CHIP_FULL_SCALE);
}
static ferrule_status read_temperature(ferrule_reading *reading) {
  return ferrule_mapped(reading, chip_analog(1), 0, CHIP_FULL_SCALE);
}
FERRULE_SENSOR(moisture, "Soil moisture", "%", read_moisture, FERRULE_INTEGER, FERRULE_RANGE(0, 100));
FERRULE_SENSOR(temperature, "Air temperature", "Cel", read_temperature, FERRULE_NUMBER(1), FERRULE_RANGE(-200, 600));

static ferrule_status set_pump(ferrule_call *call) {
  if (ferrule_value(call, 0))
    PORTB |= _BV(PB0);
  else
    PORTB &= (uint8_t)~_BV(PB0);
  return FERRULE_DONE;
}
FERRULE_ARGUMENT(on, "", "", FERRULE_BOOLEAN);
FERRULE_ACTUATOR(pump, "Water pump", set_pump, FERRULE_TAKES(on), FERRULE_SAFE(false), FERRULE_HOLD_FOR(60000));

static ferrule_status set_light(ferrule_call *call) {
  OCR2B = (uint8_t)(ferrule_value(call, 0) * 255 / 100);
  return FERRULE_DONE;
}
FERRULE_ARGUMENT(percent, "", "%", FERRULE_INTEGER, FERRULE_RANGE(0, 100));
FERRULE_ACTUATOR(light, "Grow light", set_light, FERRULE_TAKES(percent), FERRULE_SAFE(0), FERRULE_HARMLESS);

FERRULE_DEVICE(minimal, "Two sensors, two actuators", "1.0.0");

int main(void) {
  chip_begin();
  DDRB = _BV(PB0);
  DDRD = _BV(PD3);
  TCCR2A = _BV(COM2B1) | _BV(WGM21) | _BV(WGM20);
  TCCR2B = _BV(CS22);
  ferrule_add_sensor(&minimal, &moisture);
  ferrule_add_sensor(&minimal, &temperature);
  ferrule_add_actuator(&minimal, &pump);
  ferrule_add_actuator(&minimal, &light);
  ferrule_begin(&minimal, &chip_platform, NULL);
  for (;;) {
    ferrule_poll(&minimal);
    chip_rest();
  }
}
