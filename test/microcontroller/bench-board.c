/* A board with every kind of sensor, argument and rule. Its numbers are those of bench.ts. */
#include <string.h>

#include "driver.h"

static ferrule_status read_number(ferrule_reading *reading, int at) {
  if (driver_status[at] == FERRULE_LATER) return ferrule_not_yet(reading);
  if (driver_status[at] != FERRULE_DONE) return ferrule_fail(reading, FERRULE_T("it does not answer: check the wiring"));
  return ferrule_number(reading, driver_values[at]);
}

static ferrule_status read_temperature(ferrule_reading *reading) { return read_number(reading, 0); }

static ferrule_status read_count(ferrule_reading *reading) { return read_number(reading, 1); }

static ferrule_status read_button(ferrule_reading *reading) { return ferrule_boolean(reading, driver_values[2] != 0); }

static ferrule_status read_label(ferrule_reading *reading) {
  static char text[8];
  memcpy(text, "label 0", sizeof text);
  text[6] = (char)('0' + driver_values[3] % 10);
  return ferrule_text(reading, text);
}

static ferrule_status read_picture(ferrule_reading *reading) {
  static uint8_t bytes[1200];
  for (unsigned at = 0; at < sizeof bytes; at++) bytes[at] = (uint8_t)at;
  return ferrule_bytes(reading, bytes, (uint16_t)driver_values[4]);
}

FERRULE_SENSOR(temperature, "Temperature", "Cel", read_temperature, FERRULE_NUMBER(1), FERRULE_RANGE(-400, 1250),
               FERRULE_DEAD_BAND(5), FERRULE_LEAST_INTERVAL(100), FERRULE_LONGEST_TIME(800));
FERRULE_SENSOR(count, "", "", read_count, FERRULE_INTEGER);
FERRULE_SENSOR(button, "Button", "", read_button, FERRULE_BOOLEAN, FERRULE_LEAST_INTERVAL(20));
FERRULE_SENSOR(label, "", "", read_label, FERRULE_STRING, FERRULE_LEAST_INTERVAL(20));
FERRULE_SENSOR(picture, "", "", read_picture, FERRULE_BYTES);

FERRULE_TEXT(day, "day");
FERRULE_TEXT(night, "n\xC3\xA4" "chtens");
FERRULE_TEXT(about_fan, "Blows air over the plants.");

FERRULE_ARGUMENT(percent, "", "%", FERRULE_INTEGER, FERRULE_RANGE(0, 100));
FERRULE_ARGUMENT(on, "", "", FERRULE_BOOLEAN);
FERRULE_ARGUMENT(setpoint, "Set point", "Cel", FERRULE_NUMBER(1), FERRULE_RANGE(50, 305));
FERRULE_ARGUMENT(position, "", "%", FERRULE_INTEGER, FERRULE_RANGE(0, 100));
FERRULE_ARGUMENT(speed, "", "", FERRULE_INTEGER, FERRULE_VALUES(1, 2, 5), FERRULE_DEFAULT(2));
FERRULE_ARGUMENT(mode, "", "", FERRULE_STRING, FERRULE_CHOICES(day, night));
FERRULE_ARGUMENT(note, "", "", FERRULE_STRING, FERRULE_LONGEST(5), FERRULE_OPTIONAL);
FERRULE_ARGUMENT(data, "", "", FERRULE_BYTES, FERRULE_LONGEST(4), FERRULE_OPTIONAL);

/* An actuator is only ever given what it declares: this ends the process otherwise. */
static void check_range(int32_t value, int32_t least, int32_t most) {
  if (value < least || value > most) __builtin_trap();
}

static ferrule_status set_fan(ferrule_call *call) {
  check_range(ferrule_value(call, 0), 0, 100);
  check_range(ferrule_value(call, 1), 0, 1);
  driver_moved(0, call, 2);
  return ferrule_result(call, ferrule_value(call, 0) * 2);
}

static ferrule_status set_heater(ferrule_call *call) {
  check_range(ferrule_value(call, 0), 50, 305);
  driver_moved(1, call, 1);
  return ferrule_decimal_result(call, ferrule_value(call, 0), 1);
}

static ferrule_status set_switch(ferrule_call *call, int number) {
  check_range(ferrule_value(call, 0), 0, 1);
  driver_moved(number, call, 1);
  return FERRULE_DONE;
}

static ferrule_status set_pump(ferrule_call *call) { return set_switch(call, 2); }
static ferrule_status set_left(ferrule_call *call) { return set_switch(call, 3); }
static ferrule_status set_right(ferrule_call *call) { return set_switch(call, 4); }
static ferrule_status set_laser(ferrule_call *call) { return set_switch(call, 5); }

static ferrule_status set_blind(ferrule_call *call) {
  static uint32_t began;
  check_range(ferrule_value(call, 0), 0, 100);
  check_range(ferrule_value(call, 1), 1, 5);
  if (call->is_first) {
    driver_moved(6, call, 2);
    began = driver_now();
    /* To get safe it stands still. */
    if (call->reason != FERRULE_DONE) return FERRULE_DONE;
  }
  const uint32_t passed = driver_now() - began;
  /* Position 99 is never reached, at 98 it is stuck. */
  if (ferrule_value(call, 0) == 98) return ferrule_refuse(call, -7, FERRULE_T("the blind is stuck"));
  if (passed >= 500 && ferrule_value(call, 0) != 99) return FERRULE_DONE;
  if (passed >= 100) ferrule_progress(call, (int32_t)passed, 500);
  return ferrule_later(call);
}

static ferrule_status set_mode(ferrule_call *call) {
  char text[16];
  char more[24];
  const uint16_t length = ferrule_copy(call, 0, text, sizeof text);
  const uint16_t noted = ferrule_copy(call, 1, more, sizeof more);
  driver_moved(7, call, 3);
  if (length >= sizeof text || strlen(text) != length || noted >= sizeof more || strlen(more) > noted) __builtin_trap();
  if (strcmp(text, "day") != 0 && strcmp(text, "n\xC3\xA4" "chtens") != 0) __builtin_trap();
  return FERRULE_DONE;
}

static ferrule_status set_bell(ferrule_call *call) {
  driver_moved(8, call, 0);
  return FERRULE_DONE;
}

FERRULE_ACTUATOR(fan, "Fan", set_fan, FERRULE_TAKES(percent, on), FERRULE_SAFE(0, false), FERRULE_HARMLESS,
                 FERRULE_DESCRIPTION(about_fan), FERRULE_READBACK(1));
FERRULE_ACTUATOR(heater, "Heater", set_heater, FERRULE_TAKES(setpoint), FERRULE_SAFE(50), FERRULE_INITIAL(180),
                 FERRULE_RATE(20));
FERRULE_ACTUATOR(pump, "Pump", set_pump, FERRULE_TAKES(on), FERRULE_SAFE(false), FERRULE_REST(1000),
                 FERRULE_HOLD_FOR(3000));
FERRULE_ACTUATOR(left, "", set_left, FERRULE_TAKES(on), FERRULE_SAFE(false), FERRULE_GROUP(1));
FERRULE_ACTUATOR(right, "", set_right, FERRULE_TAKES(on), FERRULE_SAFE(false), FERRULE_GROUP(1));
FERRULE_ACTUATOR(laser, "Laser", set_laser, FERRULE_TAKES(on), FERRULE_SAFE(false), FERRULE_ARMING, FERRULE_CONFIRM(1));
FERRULE_ACTUATOR(blind, "Blind", set_blind, FERRULE_TAKES(position, speed), FERRULE_SAFE(0, 2),
                 FERRULE_LONGEST_TIME(2000));
FERRULE_ACTUATOR(schedule, "", set_mode, FERRULE_TAKES(mode, note, data), FERRULE_NO_SAFE_VALUE);
FERRULE_ACTUATOR(bell, "", set_bell, FERRULE_TAKES_NOTHING, FERRULE_NO_SAFE_VALUE, FERRULE_PERSON_ONLY);

FERRULE_TEXT(unique, "B-0001");
FERRULE_TEXT(about, "All there is.");
FERRULE_SIZED_DEVICE(bench, "Bench", "2.1", 128, 4, FERRULE_UNIQUE_ID(unique), FERRULE_DESCRIPTION(about));

ferrule_device *driver_device(void) {
  ferrule_add_sensor(&bench, &temperature);
  ferrule_add_sensor(&bench, &count);
  ferrule_add_sensor(&bench, &button);
  ferrule_add_sensor(&bench, &label);
  ferrule_add_sensor(&bench, &picture);
  ferrule_add_actuator(&bench, &fan);
  ferrule_add_actuator(&bench, &heater);
  ferrule_add_actuator(&bench, &pump);
  ferrule_add_actuator(&bench, &left);
  ferrule_add_actuator(&bench, &right);
  ferrule_add_actuator(&bench, &laser);
  ferrule_add_actuator(&bench, &blind);
  ferrule_add_actuator(&bench, &schedule);
  ferrule_add_actuator(&bench, &bell);
  return &bench;
}

#ifndef DRIVER_NO_MAIN
int main(int count, char **words) { return driver_run(count, words); }
#endif
