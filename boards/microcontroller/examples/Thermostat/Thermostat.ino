// A heater that regulates itself. The model is given the set point, never the heater.
//
// Why not the heater? A language model answers in seconds, when it answers at all; a hot plate wants to be looked at many
// times a second, also while the cable is out. So the loop that must not stop runs here, and what the model says is only
// where it should lead. That is the pattern for everything that regulates, balances or limits.

#include <Ferrule.h>

const int sensorPin = A0;
const int heaterPin = 6;

// Numbers with one decimal are whole ones here: 185 is 18.5 degrees.
const int32_t band = 3;
const int32_t tooHot = 450;

int32_t temperatureNow;

// An LM35 gives 10 mV for each degree, of which 5 V are 1023.
int32_t measure() {
  return (int32_t)analogRead(sensorPin) * 5000 / 1023;
}

ferrule_status readTemperature(ferrule_reading *reading) {
  return ferrule_number(reading, temperatureNow);
}

ferrule_status readHeating(ferrule_reading *reading) {
  return ferrule_boolean(reading, digitalRead(heaterPin) == HIGH);
}

// Nothing moves here: the loop looks at the set point.
ferrule_status setSetPoint(ferrule_call *) {
  return FERRULE_DONE;
}

FERRULE_SENSOR(temperature, "Temperature", "Cel", readTemperature, FERRULE_NUMBER(1), FERRULE_DEAD_BAND(2));
FERRULE_SENSOR(heating, "Whether it heats", "", readHeating, FERRULE_BOOLEAN);

// No safe value, on purpose: when the host is gone the room is to stay as warm as it was meant to be. What makes it safe
// is the limit in the loop.
FERRULE_ARGUMENT(degrees, "Set point", "Cel", FERRULE_NUMBER(1), FERRULE_RANGE(50, 280));
FERRULE_ACTUATOR(set_point, "Set point", setSetPoint, FERRULE_TAKES(degrees), FERRULE_NO_SAFE_VALUE,
                 FERRULE_INITIAL(180), FERRULE_HARMLESS, FERRULE_READBACK(0));

FERRULE(thermostat, "Thermostat", "1.0");

void setup() {
  pinMode(heaterPin, OUTPUT);
  Serial.begin(115200);
  thermostat.add(temperature).add(heating).add(set_point).begin(Serial);
}

void loop() {
  temperatureNow = measure();
  const int32_t wanted = ferrule_argument(&set_point, 0);
  if (temperatureNow > wanted || temperatureNow > tooHot) digitalWrite(heaterPin, LOW);
  else if (temperatureNow < wanted - band) digitalWrite(heaterPin, HIGH);
  thermostat.poll();
}
