/* The board of the test vectors: test/link/vector-board.ts in C. */
#include "driver.h"

static int32_t level;

static ferrule_status read_level(ferrule_reading *reading) { return ferrule_number(reading, level); }

static ferrule_status read_button(ferrule_reading *reading) { return ferrule_boolean(reading, false); }

static ferrule_status set_fan(ferrule_call *call) {
  level = ferrule_value(call, 1) ? ferrule_value(call, 0) : 0;
  driver_moved(0, call, 2);
  return FERRULE_DONE;
}

static ferrule_status set_lamp(ferrule_call *call) {
  driver_moved(1, call, 1);
  return FERRULE_DONE;
}

FERRULE_SENSOR(fan_level, "Fan level", "%", read_level, FERRULE_INTEGER, FERRULE_RANGE(0, 100));
FERRULE_SENSOR(button, "", "", read_button, FERRULE_BOOLEAN);
FERRULE_ARGUMENT(percent, "", "", FERRULE_INTEGER, FERRULE_RANGE(0, 100));
FERRULE_ARGUMENT(on, "", "", FERRULE_BOOLEAN);
FERRULE_ACTUATOR(fan, "Fan", set_fan, FERRULE_TAKES(percent, on), FERRULE_SAFE(0, false), FERRULE_HARMLESS);
FERRULE_ARGUMENT(brightness, "", "", FERRULE_NUMBER(2), FERRULE_RANGE(0, 100));
FERRULE_ACTUATOR(lamp, "", set_lamp, FERRULE_TAKES(brightness), FERRULE_NO_SAFE_VALUE);
FERRULE_TEXT(id, "V1");
FERRULE_SIZED_DEVICE(pot, "Flower pot", "1.0", 1024, 1, FERRULE_UNIQUE_ID(id));

ferrule_device *driver_device(void) {
  ferrule_add_sensor(&pot, &fan_level);
  ferrule_add_sensor(&pot, &button);
  ferrule_add_actuator(&pot, &fan);
  ferrule_add_actuator(&pot, &lamp);
  return &pot;
}

int main(int count, char **words) { return driver_run(count, words); }
