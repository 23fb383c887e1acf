/*
 * Every rule that a device keeps, each on an output of its own: for the proofs in test/safe-hands, and to look at when
 * you wonder how to declare one. Everything is short, so that nobody has to wait for it.
 */
#include <avr/io.h>

#include "chip.h"

/* ---- Pins, with their numbers on an Arduino Uno ----------------------------------------------------------------- */

enum {
  HEATER = PD3, /* D3, OC2B: PWM */
  UP = PD4,     /* D4 */
  DOWN = PD5,   /* D5 */
  LIFT = PD6,   /* D6 */
  FAN = PD7,    /* D7 */
  PUMP = PB0,   /* D8 */
  SERVO = PB1,  /* D9, OC1A: pulses of 1 ms to 2 ms */
  VALVE = PB2,  /* D10 */
  SAW = PB4     /* D12 */
};

static void put(volatile uint8_t *port, uint8_t pin, bool on) {
  if (on)
    *port |= (uint8_t)(1 << pin);
  else
    *port &= (uint8_t) ~(1 << pin);
}

static void begin_pins(void) {
  DDRD = _BV(HEATER) | _BV(UP) | _BV(DOWN) | _BV(LIFT) | _BV(FAN);
  DDRB = _BV(PUMP) | _BV(SERVO) | _BV(VALVE) | _BV(SAW);
  /* Timer 2: fast PWM of 976 Hz. Timer 1: 20 ms in steps of 4 us, up to ICR1, and from the start on its pin. */
  TCCR2A = _BV(WGM21) | _BV(WGM20);
  TCCR2B = _BV(CS22);
  ICR1 = 4999;
  OCR1A = 249;
  TCCR1A = _BV(WGM11) | _BV(COM1A1);
  TCCR1B = _BV(WGM13) | _BV(WGM12) | _BV(CS11) | _BV(CS10);
}

/* ---- What it tells ------------------------------------------------------------------------------------------------ */

/** How often a host's call was carried out since the start, on any output. */
static int32_t runs;

static ferrule_status read_runs(ferrule_reading *reading) { return ferrule_number(reading, runs); }
FERRULE_SENSOR(calls_run, "Calls that were carried out", "", read_runs, FERRULE_INTEGER);

static ferrule_status read_armed(ferrule_reading *reading);
FERRULE_SENSOR(is_armed, "Whether the outputs are armed", "", read_armed, FERRULE_BOOLEAN);

/** What a set function does first. */
static void count(const ferrule_call *call) {
  if (call->is_first && call->reason == FERRULE_DONE) runs++;
}

static ferrule_status switched(ferrule_call *call, volatile uint8_t *port, uint8_t pin) {
  count(call);
  put(port, pin, ferrule_value(call, 0) != 0);
  return FERRULE_DONE;
}

/* ---- One output for each rule --------------------------------------------------------------------------------------- */

FERRULE_ARGUMENT(on, "", "", FERRULE_BOOLEAN);

static ferrule_status set_pump(ferrule_call *call) { return switched(call, &PORTB, PUMP); }
FERRULE_ACTUATOR(pump, "Pump, half a second at most", set_pump, FERRULE_TAKES(on), FERRULE_SAFE(false),
                 FERRULE_HOLD_FOR(500));

static ferrule_status set_up(ferrule_call *call) { return switched(call, &PORTD, UP); }
FERRULE_ACTUATOR(up, "Motor up, not while it goes down", set_up, FERRULE_TAKES(on), FERRULE_SAFE(false),
                 FERRULE_GROUP(1));

static ferrule_status set_down(ferrule_call *call) { return switched(call, &PORTD, DOWN); }
FERRULE_ACTUATOR(down, "Motor down, not while it goes up", set_down, FERRULE_TAKES(on), FERRULE_SAFE(false),
                 FERRULE_GROUP(1));

static ferrule_status set_fan(ferrule_call *call) { return switched(call, &PORTD, FAN); }
FERRULE_ACTUATOR(fan, "Fan, switched three times a second at most", set_fan, FERRULE_TAKES(on), FERRULE_SAFE(false),
                 FERRULE_REST(300));

static ferrule_status set_servo(ferrule_call *call) {
  count(call);
  OCR1A = (uint16_t)(249 + ferrule_value(call, 0) * 5 / 2);
  return FERRULE_DONE;
}
FERRULE_ARGUMENT(percent, "", "%", FERRULE_INTEGER, FERRULE_RANGE(0, 100));
FERRULE_ACTUATOR(servo, "Servo, 40 percent a second at most", set_servo, FERRULE_TAKES(percent), FERRULE_SAFE(0),
                 FERRULE_RATE(40));

static ferrule_status set_saw(ferrule_call *call) { return switched(call, &PORTB, SAW); }
FERRULE_ACTUATOR(saw, "Saw, off until a person arms it", set_saw, FERRULE_TAKES(on), FERRULE_SAFE(false),
                 FERRULE_ARMING);

static ferrule_status set_heater(ferrule_call *call) {
  count(call);
  const uint16_t level = (uint16_t)ferrule_value(call, 0); /* tenths of a percent */
  if (level == 0) {
    TCCR2A &= (uint8_t)~_BV(COM2B1);
    put(&PORTD, HEATER, false);
  } else {
    OCR2B = (uint8_t)((uint32_t)level * 255 / 1000);
    TCCR2A |= _BV(COM2B1);
  }
  return FERRULE_DONE;
}
FERRULE_ARGUMENT(level, "", "%", FERRULE_NUMBER(1), FERRULE_RANGE(0, 605));
FERRULE_ACTUATOR(heater, "Heater, 60.5 percent at most", set_heater, FERRULE_TAKES(level), FERRULE_SAFE(0));

static ferrule_status set_valve(ferrule_call *call) { return switched(call, &PORTB, VALVE); }
FERRULE_ARGUMENT(turns, "", "", FERRULE_INTEGER, FERRULE_VALUES(0, 3, 7));
FERRULE_ACTUATOR(valve, "Valve, at one of three places", set_valve, FERRULE_TAKES(turns), FERRULE_SAFE(0));

/* ---- A move that takes its time ------------------------------------------------------------------------------------ */

static uint32_t lift_since;

static ferrule_status set_lift(ferrule_call *call) {
  const uint32_t wanted = (uint32_t)ferrule_value(call, 0);
  if (call->is_first) {
    count(call);
    lift_since = chip_millis();
    put(&PORTD, LIFT, wanted != 0);
  }
  if (chip_millis() - lift_since < wanted) return ferrule_later(call);
  put(&PORTD, LIFT, false);
  return FERRULE_DONE;
}
FERRULE_ARGUMENT(ms, "", "ms", FERRULE_INTEGER, FERRULE_RANGE(0, 20000));
FERRULE_ACTUATOR(lift, "Lift, moves for so long", set_lift, FERRULE_TAKES(ms), FERRULE_SAFE(0),
                 FERRULE_LONGEST_TIME(1500));

/* ---- The device ------------------------------------------------------------------------------------------------------- */

FERRULE_SIZED_DEVICE(safety, "Every rule once", "1.0.0", 64, 2, FERRULE_NO_MORE);

static ferrule_status read_armed(ferrule_reading *reading) {
  return ferrule_boolean(reading, ferrule_is_armed(&safety));
}

int main(void) {
  chip_begin();
  begin_pins();
  ferrule_add_sensor(&safety, &calls_run);
  ferrule_add_sensor(&safety, &is_armed);
  ferrule_add_actuator(&safety, &pump);
  ferrule_add_actuator(&safety, &up);
  ferrule_add_actuator(&safety, &down);
  ferrule_add_actuator(&safety, &fan);
  ferrule_add_actuator(&safety, &servo);
  ferrule_add_actuator(&safety, &saw);
  ferrule_add_actuator(&safety, &heater);
  ferrule_add_actuator(&safety, &valve);
  ferrule_add_actuator(&safety, &lift);
  safety.fail_safe_ms = 1000;
  ferrule_begin(&safety, &chip_platform, NULL);
  for (;;) {
    ferrule_poll(&safety);
    chip_rest();
  }
}
