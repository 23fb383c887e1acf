// A blind on a stepper motor: a move takes half a minute, tells how far it is, and can be cancelled. Nothing waits for
// it: the function is called again and again, and makes a step when it is time.

#include <Ferrule.h>

const int stepPin = 3;
const int directionPin = 4;
const int enablePin = 5;
const int32_t stepsForAll = 6000;
const uint32_t stepMicros = 5000;

int32_t position;
uint32_t lastStep;

ferrule_status moveBlind(ferrule_call *call) {
  // Cancelled, stopped, or the host is gone: it stands still where it is, which is safe for a blind.
  if (call->reason != FERRULE_DONE) {
    digitalWrite(enablePin, HIGH);
    return FERRULE_DONE;
  }
  const int32_t target = ferrule_value(call, 0) * stepsForAll / 100;
  if (position == target) {
    digitalWrite(enablePin, HIGH);
    return ferrule_result(call, position * 100 / stepsForAll);
  }
  if (call->is_first) {
    digitalWrite(enablePin, LOW);
    digitalWrite(directionPin, target > position ? HIGH : LOW);
    lastStep = micros();
  }
  if (micros() - lastStep >= stepMicros) {
    lastStep += stepMicros;
    digitalWrite(stepPin, HIGH);
    digitalWrite(stepPin, LOW);
    position += target > position ? 1 : -1;
  }
  ferrule_progress(call, position * 100 / stepsForAll, 100);
  return ferrule_later(call);
}

ferrule_status readPosition(ferrule_reading *reading) {
  return ferrule_number(reading, position * 100 / stepsForAll);
}

FERRULE_SENSOR(open, "How far the blind is open", "%", readPosition, FERRULE_INTEGER, FERRULE_RANGE(0, 100));
FERRULE_ARGUMENT(percent, "How far to open", "%", FERRULE_INTEGER, FERRULE_RANGE(0, 100));
FERRULE_ACTUATOR(blind, "Blind", moveBlind, FERRULE_TAKES(percent), FERRULE_NO_SAFE_VALUE, FERRULE_LONGEST_TIME(40000),
                 FERRULE_HINTS(FERRULE_UNDOABLE + FERRULE_IDEMPOTENT + FERRULE_CLOSED), FERRULE_READBACK(0));

FERRULE(window, "Window", "1.0");

void setup() {
  pinMode(stepPin, OUTPUT);
  pinMode(directionPin, OUTPUT);
  digitalWrite(enablePin, HIGH);
  pinMode(enablePin, OUTPUT);
  Serial.begin(115200);
  window.add(open).add(blind).begin(Serial);
}

void loop() {
  window.poll();
}
