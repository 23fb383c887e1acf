// A sensor that needs time, and may not be there: a TMP102 on the I2C bus that is asked for one measurement at a time.

#include <Ferrule.h>
#include <Wire.h>

const uint8_t address = 0x48;
uint32_t askedAt;

ferrule_status readTemperature(ferrule_reading *reading) {
  if (reading->is_first) {
    // Shutdown with one-shot: measure once, then sleep.
    Wire.beginTransmission(address);
    Wire.write(0x01);
    Wire.write(0x81);
    Wire.write(0xA0);
    if (Wire.endTransmission() != 0) {
      return ferrule_fail(reading, FERRULE_T("the TMP102 does not answer at 0x48: check SDA, SCL and its power"));
    }
    askedAt = millis();
  }
  // It measures for 26 ms. Until then everything else goes on.
  if (millis() - askedAt < 30) return ferrule_not_yet(reading);
  Wire.beginTransmission(address);
  Wire.write(0x00);
  Wire.endTransmission();
  if (Wire.requestFrom(address, (uint8_t)2) != 2) {
    return ferrule_fail(reading, FERRULE_T("the TMP102 gave nothing: check its power"));
  }
  const uint8_t high = Wire.read();
  const int16_t raw = (int16_t)((uint16_t)high << 8 | (uint8_t)Wire.read()) / 16;
  // A float is fine as well, where a library gives one. It is rounded to the decimals that are declared.
  return ferrule_float(reading, raw * 0.0625f);
}

FERRULE_SENSOR(temperature, "Temperature", "Cel", readTemperature, FERRULE_NUMBER(2), FERRULE_RANGE(-5500, 15000),
               FERRULE_NEW_VALUE_EVERY(500), FERRULE_DEAD_BAND(10));
FERRULE(weather, "Weather", "1.0");

void setup() {
  Wire.begin();
  Serial.begin(115200);
  weather.add(temperature).begin(Serial);
}

void loop() {
  weather.poll();
}
