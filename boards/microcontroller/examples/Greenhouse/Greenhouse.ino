// Soil moisture, a water level, a pump and a fan. The pump is never on for longer than 20 s, whatever happens to the
// cable or to the program at its other end, and rests for a minute after each move.

#include <Ferrule.h>

const int moisturePin = A0;
const int levelPin = 2;
const int pumpPin = 7;
const int fanPin = 9;

// What the probe gives in dry air and in water: try yours, and write it here.
FERRULE_ANALOG_INPUT(moisture, "Soil moisture", "%", moisturePin, 620, 280, FERRULE_INTEGER, FERRULE_RANGE(0, 100),
                     FERRULE_DEAD_BAND(1));
FERRULE_BUTTON(water, "Water in the tank", levelPin, FERRULE_BOOLEAN, FERRULE_LEAST_INTERVAL(100));

FERRULE_TEXT(pumpText, "Waters the plants, about 20 ml a second. Check the moisture a minute later.");
FERRULE_DIGITAL_OUTPUT(pump, "Pump", pumpPin, FERRULE_SAFE(false), FERRULE_HOLD_FOR(20000), FERRULE_REST(60000),
                       FERRULE_DESCRIPTION(pumpText));
FERRULE_PWM(fan, "Fan", fanPin, FERRULE_SAFE(0), FERRULE_HARMLESS);

FERRULE(greenhouse, "Greenhouse on the sill", "1.0");

void setup() {
  Serial.begin(115200);
  greenhouse.add(moisture).add(water).add(pump).add(fan).begin(Serial);
}

void loop() {
  greenhouse.poll();
}
