/* The board with rules of the test vectors: test/link/rule-board.ts in C. */
#include "driver.h"

static int32_t lamp_is, motor_is, saw_is, vent_is;

static ferrule_status read_lamp(ferrule_reading *reading) { return ferrule_boolean(reading, lamp_is != 0); }

static ferrule_status read_motor(ferrule_reading *reading) { return ferrule_number(reading, motor_is); }

static ferrule_status read_saw(ferrule_reading *reading) { return ferrule_boolean(reading, saw_is != 0); }

static ferrule_status read_vent(ferrule_reading *reading) { return ferrule_number(reading, vent_is); }

static ferrule_status set_lamp(ferrule_call *call) {
  lamp_is = ferrule_value(call, 0);
  return FERRULE_DONE;
}

static ferrule_status set_motor(ferrule_call *call) {
  motor_is = ferrule_value(call, 0);
  return FERRULE_DONE;
}

static ferrule_status set_saw(ferrule_call *call) {
  saw_is = ferrule_value(call, 0);
  return FERRULE_DONE;
}

static ferrule_status set_vent(ferrule_call *call) {
  vent_is = ferrule_value(call, 0);
  return FERRULE_DONE;
}

static ferrule_status set_unseen(ferrule_call *call) {
  (void)call;
  return FERRULE_DONE;
}

FERRULE_SENSOR(lamp_on, "", "", read_lamp, FERRULE_BOOLEAN);
FERRULE_SENSOR(motor_speed, "", "", read_motor, FERRULE_INTEGER);
FERRULE_SENSOR(saw_on, "", "", read_saw, FERRULE_BOOLEAN);
FERRULE_SENSOR(vent_opening, "", "", read_vent, FERRULE_INTEGER);
FERRULE_ARGUMENT(on, "", "", FERRULE_BOOLEAN);
FERRULE_ARGUMENT(speed, "", "", FERRULE_INTEGER, FERRULE_RANGE(0, 100));
FERRULE_ARGUMENT(percent, "", "", FERRULE_INTEGER, FERRULE_RANGE(0, 100));
FERRULE_ACTUATOR(lamp, "", set_lamp, FERRULE_TAKES(on), FERRULE_SAFE(false), FERRULE_HINTS(FERRULE_CLOSED),
                 FERRULE_HOLD_FOR(1000), FERRULE_READBACK(0));
FERRULE_ACTUATOR(pump, "", set_unseen, FERRULE_TAKES(on), FERRULE_SAFE(false), FERRULE_HINTS(FERRULE_CLOSED),
                 FERRULE_REST(2000));
FERRULE_ACTUATOR(motor, "", set_motor, FERRULE_TAKES(speed), FERRULE_SAFE(0), FERRULE_HINTS(FERRULE_CLOSED),
                 FERRULE_RATE(20), FERRULE_READBACK(1));
FERRULE_ACTUATOR(heater, "", set_unseen, FERRULE_TAKES(on), FERRULE_SAFE(false), FERRULE_HINTS(FERRULE_CLOSED),
                 FERRULE_GROUP(0));
FERRULE_ACTUATOR(cooler, "", set_unseen, FERRULE_TAKES(on), FERRULE_SAFE(false), FERRULE_HINTS(FERRULE_CLOSED),
                 FERRULE_GROUP(0));
FERRULE_ACTUATOR(saw, "", set_saw, FERRULE_TAKES(on), FERRULE_SAFE(false), FERRULE_HINTS(FERRULE_CLOSED),
                 FERRULE_CONFIRM(2), FERRULE_PERSON_ONLY, FERRULE_READBACK(2), FERRULE_ARMING);
FERRULE_ACTUATOR(vent, "", set_vent, FERRULE_TAKES(percent), FERRULE_SAFE(0), FERRULE_INITIAL(30),
                 FERRULE_HINTS(FERRULE_CLOSED), FERRULE_RATE(10), FERRULE_READBACK(3));
FERRULE_TEXT(id, "V1");
FERRULE_SIZED_DEVICE(shed, "", "1.0", 1024, 1, FERRULE_UNIQUE_ID(id));

ferrule_device *driver_device(void) {
  ferrule_add_sensor(&shed, &lamp_on);
  ferrule_add_sensor(&shed, &motor_speed);
  ferrule_add_sensor(&shed, &saw_on);
  ferrule_add_sensor(&shed, &vent_opening);
  ferrule_add_actuator(&shed, &lamp);
  ferrule_add_actuator(&shed, &pump);
  ferrule_add_actuator(&shed, &motor);
  ferrule_add_actuator(&shed, &heater);
  ferrule_add_actuator(&shed, &cooler);
  ferrule_add_actuator(&shed, &saw);
  ferrule_add_actuator(&shed, &vent);
  return &shed;
}

int main(int count, char **words) { return driver_run(count, words); }
