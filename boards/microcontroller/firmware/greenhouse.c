/*
 * A greenhouse on an ATmega328P: seven sensors and five actuators. Wire it as the pins below say, or let
 * `ferrule emulate` put a simulated one round it. A transmitter gives 0 V at the low end of its range and 5 V at the
 * high one.
 */
#include <avr/io.h>

#include "chip.h"

/* ---- Pins, with their numbers on an Arduino Uno ----------------------------------------------------------------- */

enum { SOIL = 0, AIR = 1, HUMIDITY = 2, LIGHT = 3, TANK = 4, VENT = 5 }; /* A0 to A5 */
enum {
  FLOW = PD2,   /* D2, in: high while water flows */
  LAMP = PD3,   /* D3, OC2B: PWM */
  HEATER = PD4, /* D4 */
  TAP = PD7,    /* D7 */
  PUMP = PB0,   /* D8 */
  SERVO = PB1   /* D9, OC1A: 1 ms closes the vent, 2 ms open it wide */
};

static void put(volatile uint8_t *port, uint8_t pin, bool on) {
  if (on)
    *port |= (uint8_t)(1 << pin);
  else
    *port &= (uint8_t) ~(1 << pin);
}

static void begin_pins(void) {
  DDRD = _BV(LAMP) | _BV(HEATER) | _BV(TAP);
  DDRB = _BV(PUMP) | _BV(SERVO);
  /* Timer 2: fast PWM of 976 Hz. Timer 1: 20 ms in steps of 4 us, up to ICR1. Neither reaches its pin yet. */
  TCCR2A = _BV(WGM21) | _BV(WGM20);
  TCCR2B = _BV(CS22);
  ICR1 = 4999;
  TCCR1A = _BV(WGM11);
  TCCR1B = _BV(WGM13) | _BV(WGM12) | _BV(CS11) | _BV(CS10);
}

/* ---- Sensors ------------------------------------------------------------------------------------------------------ */

static ferrule_status measured(ferrule_reading *reading, uint8_t channel) {
  return ferrule_mapped(reading, chip_analog(channel), 0, CHIP_FULL_SCALE);
}
static ferrule_status read_air(ferrule_reading *reading) { return measured(reading, AIR); }
static ferrule_status read_humidity(ferrule_reading *reading) { return measured(reading, HUMIDITY); }
static ferrule_status read_soil(ferrule_reading *reading) { return measured(reading, SOIL); }
static ferrule_status read_light(ferrule_reading *reading) { return measured(reading, LIGHT); }
static ferrule_status read_tank(ferrule_reading *reading) { return measured(reading, TANK); }
static ferrule_status read_vent(ferrule_reading *reading) { return measured(reading, VENT); }

static bool water_flows(void) { return (PIND & _BV(FLOW)) != 0; }
static ferrule_status read_flow(ferrule_reading *reading) { return ferrule_boolean(reading, water_flows()); }

FERRULE_TEXT(air_text, "Temperature of the air at plant height.");
FERRULE_TEXT(humidity_text, "Relative humidity of the air at plant height.");
FERRULE_TEXT(soil_text, "Water in the soil of the bed: 0 is bone dry, 1 is soaked. Plants like 0.3 to 0.6.");
FERRULE_TEXT(light_text, "Light that falls on the plants, from the sun and the grow light together.");
FERRULE_TEXT(tank_text, "How full the tank of the pump is: 0 is empty, 1 is full (10 litres).");
FERRULE_TEXT(vent_position_text, "How far the roof vent is open: 0 is closed, 1 is wide open. It follows the vent tool "
                                 "at a finite speed.");
FERRULE_TEXT(flow_text, "Whether the pump moves water at this moment.");

FERRULE_SENSOR(air_temperature, "Air temperature", "Cel", read_air, FERRULE_NUMBER(2), FERRULE_DESCRIPTION(air_text),
               FERRULE_RANGE(-2000, 6000), FERRULE_NEW_VALUE_EVERY(1000), FERRULE_DEAD_BAND(10));
FERRULE_SENSOR(air_humidity, "Air humidity", "%RH", read_humidity, FERRULE_NUMBER(1),
               FERRULE_DESCRIPTION(humidity_text), FERRULE_RANGE(0, 1000), FERRULE_NEW_VALUE_EVERY(1000),
               FERRULE_DEAD_BAND(5));
FERRULE_SENSOR(soil_moisture, "Soil moisture", "/", read_soil, FERRULE_NUMBER(3), FERRULE_DESCRIPTION(soil_text),
               FERRULE_RANGE(0, 1000), FERRULE_NEW_VALUE_EVERY(500), FERRULE_DEAD_BAND(5));
FERRULE_SENSOR(light, "Light", "lx", read_light, FERRULE_INTEGER, FERRULE_DESCRIPTION(light_text),
               FERRULE_RANGE(0, 20000), FERRULE_NEW_VALUE_EVERY(1000), FERRULE_DEAD_BAND(100));
FERRULE_SENSOR(water_level, "Water level", "/", read_tank, FERRULE_NUMBER(3), FERRULE_DESCRIPTION(tank_text),
               FERRULE_RANGE(0, 1000), FERRULE_NEW_VALUE_EVERY(500), FERRULE_DEAD_BAND(5));
FERRULE_SENSOR(vent_position, "Vent position", "/", read_vent, FERRULE_NUMBER(3),
               FERRULE_DESCRIPTION(vent_position_text), FERRULE_RANGE(0, 1000), FERRULE_NEW_VALUE_EVERY(250),
               FERRULE_DEAD_BAND(10), FERRULE_LEAST_INTERVAL(250));
FERRULE_SENSOR(pump_running, "Pump running", "", read_flow, FERRULE_BOOLEAN, FERRULE_DESCRIPTION(flow_text),
               FERRULE_NEW_VALUE_EVERY(100), FERRULE_LEAST_INTERVAL(100));

/* ---- Pump: runs for so long, then stops by itself ----------------------------------------------------------------- */

enum { EMPTY = CHIP_FULL_SCALE / 200, MILLILITRES_PER_SECOND = 50 };

static bool pump_is_done;
static uint32_t pump_since;
static uint32_t pump_looked;
static uint32_t flowed_ms;

static ferrule_status set_pump(ferrule_call *call) {
  uint32_t now = chip_millis();
  uint32_t wanted = (uint32_t)ferrule_value(call, 0) * 100; /* tenths of a second */
  if (call->is_first) {
    put(&PORTB, PUMP, false);
    if (wanted == 0) return FERRULE_DONE;
    if (chip_analog(TANK) < EMPTY)
      return ferrule_refuse(call, FERRULE_FAILED,
                            FERRULE_T("the water tank is empty, so nothing was pumped: call refill first"));
    put(&PORTB, PUMP, true);
    pump_since = pump_looked = now;
    flowed_ms = 0;
    return ferrule_later(call);
  }
  if (water_flows()) flowed_ms += now - pump_looked;
  pump_looked = now;
  if (now - pump_since < wanted) {
    ferrule_progress(call, (int32_t)((now - pump_since) / 100), (int32_t)(wanted / 100));
    return ferrule_later(call);
  }
  put(&PORTB, PUMP, false);
  pump_is_done = true;
  return ferrule_decimal_result(call, (int32_t)(flowed_ms * MILLILITRES_PER_SECOND / 1000), 3);
}

FERRULE_TEXT(pump_text,
             "Waters the bed for a number of seconds, then stops by itself; 0 stops it at once. It moves 0.05 litres a "
             "second from the tank into the soil: 5 seconds raise soil_moisture by about 0.05. Gives back the "
             "litres. Fails when the tank is empty, and while the tank is refilled. Water cannot be taken back, so water "
             "a little and read again.");
FERRULE_TEXT(seconds_text, "How long to run. 0 stops the pump.");
FERRULE_ARGUMENT(seconds, "", "s", FERRULE_NUMBER(1), FERRULE_DESCRIPTION(seconds_text), FERRULE_RANGE(0, 600));
FERRULE_ACTUATOR(pump, "Water pump", set_pump, FERRULE_TAKES(seconds), FERRULE_SAFE(0), FERRULE_DESCRIPTION(pump_text),
                 FERRULE_LONGEST_TIME(65000), FERRULE_HOLD_FOR(62000), FERRULE_GROUP(1),
                 FERRULE_HINTS(FERRULE_CLOSED), FERRULE_READBACK(2));

/* ---- Vent: a servo, and a potentiometer that shows where it is ------------------------------------------------------ */

enum { NEAR = CHIP_FULL_SCALE / 200 };

static uint32_t vent_looked;

static int32_t in_percent(uint16_t part) {
  return (int32_t)(((uint32_t)part * 100 + CHIP_FULL_SCALE / 2) / CHIP_FULL_SCALE);
}

/** Sends the servo to a part of its way, as the converter shows it. */
static void aim_vent(uint16_t position) {
  OCR1A = (uint16_t)(249 + ((uint32_t)position * 250 + CHIP_FULL_SCALE / 2) / CHIP_FULL_SCALE);
  TCCR1A |= _BV(COM1A1);
}

static ferrule_status set_vent(ferrule_call *call) {
  uint32_t now = chip_millis();
  uint16_t goal = (uint16_t)(ferrule_value(call, 0) * CHIP_FULL_SCALE / 100);
  if (call->reason != FERRULE_DONE) {
    /* Every position is as safe as the next one: it stays where it is. */
    if (TCCR1A & _BV(COM1A1)) aim_vent(chip_analog(VENT));
    return FERRULE_DONE;
  }
  if (call->is_first) {
    aim_vent(goal);
    vent_looked = now;
    return ferrule_later(call);
  }
  if (now - vent_looked < 50) return ferrule_later(call);
  vent_looked = now;
  uint16_t position = chip_analog(VENT);
  uint16_t off = position > goal ? position - goal : goal - position;
  if (off <= NEAR) return ferrule_result(call, in_percent(position));
  ferrule_progress(call, in_percent(position), 100);
  return ferrule_later(call);
}

FERRULE_TEXT(vent_text, "Opens the roof vent to a percentage: 0 closes it, 100 opens it wide. Outside is cooler, so "
                        "opening cools and dries the air. The whole way takes 5 seconds; the call ends when the vent "
                        "has arrived, and gives back its position in percent.");
FERRULE_ARGUMENT(percent, "", "%", FERRULE_INTEGER, FERRULE_RANGE(0, 100));
FERRULE_ACTUATOR(vent, "Roof vent", set_vent, FERRULE_TAKES(percent), FERRULE_NO_SAFE_VALUE,
                 FERRULE_DESCRIPTION(vent_text), FERRULE_LONGEST_TIME(10000), FERRULE_HARMLESS, FERRULE_READBACK(5));

/* ---- Heater and light: set, and left alone -------------------------------------------------------------------------- */

static ferrule_status set_heater(ferrule_call *call) {
  put(&PORTD, HEATER, ferrule_value(call, 0) != 0);
  return FERRULE_DONE;
}

FERRULE_TEXT(heater_text,
             "Switches the air heater on or off. On, it warms the closed house by about 0.15 degrees a second; its own "
             "thermostat pauses it from 35 degrees on. It stays on until it is switched off, 10 minutes at most.");
FERRULE_ARGUMENT(on, "", "", FERRULE_BOOLEAN);
FERRULE_ACTUATOR(heater, "Heater", set_heater, FERRULE_TAKES(on), FERRULE_SAFE(false),
                 FERRULE_DESCRIPTION(heater_text), FERRULE_HOLD_FOR(600000), FERRULE_HARMLESS, FERRULE_READBACK(0));

static ferrule_status set_grow_light(ferrule_call *call) {
  uint16_t part = (uint16_t)ferrule_value(call, 0);
  if (part == 0) {
    TCCR2A &= (uint8_t)~_BV(COM2B1);
    put(&PORTD, LAMP, false);
  } else {
    OCR2B = (uint8_t)(part * 256 / 100 - 1);
    TCCR2A |= _BV(COM2B1);
  }
  return FERRULE_DONE;
}

FERRULE_TEXT(light_tool_text,
             "Dims the grow light: 0 is off, 100 is full, which adds 9000 lx and warms the air a little.");
FERRULE_ACTUATOR(grow_light, "Grow light", set_grow_light, FERRULE_TAKES(percent), FERRULE_SAFE(0),
                 FERRULE_DESCRIPTION(light_tool_text), FERRULE_HARMLESS, FERRULE_READBACK(3));

/* ---- Refill: opens the tap until the tank is as full as asked for ---------------------------------------------------- */

static bool refill_is_done;
static uint32_t tank_looked;

static ferrule_status set_refill(ferrule_call *call) {
  uint32_t now = chip_millis();
  uint16_t goal = (uint16_t)((uint32_t)ferrule_value(call, 0) * CHIP_FULL_SCALE / 100);
  if (!call->is_first && now - tank_looked < 20) return ferrule_later(call);
  tank_looked = now;
  uint16_t level = chip_analog(TANK);
  if (goal == 0 || level >= goal) {
    put(&PORTD, TAP, false);
    refill_is_done = true;
    return ferrule_result(call, in_percent(level));
  }
  put(&PORTD, TAP, true);
  ferrule_progress(call, in_percent(level), ferrule_value(call, 0));
  return ferrule_later(call);
}

FERRULE_TEXT(refill_text, "Opens the tap until the tank is filled to a percentage, about 5 % a second, and gives back "
                          "how full it is. A tank that is already fuller stays as it is, so 0 just closes the tap. Not "
                          "while the pump runs.");
FERRULE_ACTUATOR(refill, "Tank refill", set_refill, FERRULE_TAKES(percent), FERRULE_SAFE(0),
                 FERRULE_DESCRIPTION(refill_text), FERRULE_LONGEST_TIME(30000), FERRULE_HOLD_FOR(31000),
                 FERRULE_GROUP(1), FERRULE_HINTS(FERRULE_IDEMPOTENT + FERRULE_CLOSED), FERRULE_READBACK(4));

/* ---- The device ------------------------------------------------------------------------------------------------------- */

FERRULE_TEXT(greenhouse_text,
             "A small greenhouse: one bed with a pump and a water tank, a roof vent, a heater and a grow light. Read the "
             "sensors before and after a move to see what it did.");
FERRULE_SIZED_DEVICE(greenhouse, "Greenhouse", "1.0.0", 64, 4, FERRULE_DESCRIPTION(greenhouse_text));

int main(void) {
  chip_begin();
  begin_pins();
  ferrule_add_sensor(&greenhouse, &air_temperature);
  ferrule_add_sensor(&greenhouse, &air_humidity);
  ferrule_add_sensor(&greenhouse, &soil_moisture);
  ferrule_add_sensor(&greenhouse, &light);
  ferrule_add_sensor(&greenhouse, &water_level);
  ferrule_add_sensor(&greenhouse, &vent_position);
  ferrule_add_sensor(&greenhouse, &pump_running);
  ferrule_add_actuator(&greenhouse, &pump);
  ferrule_add_actuator(&greenhouse, &vent);
  ferrule_add_actuator(&greenhouse, &heater);
  ferrule_add_actuator(&greenhouse, &grow_light);
  ferrule_add_actuator(&greenhouse, &refill);
  ferrule_begin(&greenhouse, &chip_platform, NULL);
  for (;;) {
    ferrule_poll(&greenhouse);
    /* Pump and tap have switched themselves off: they are at their safe value again, and free the other one. */
    if (pump_is_done) ferrule_make_safe(&greenhouse, &pump);
    if (refill_is_done) ferrule_make_safe(&greenhouse, &refill);
    pump_is_done = refill_is_done = false;
    chip_rest();
  }
}
