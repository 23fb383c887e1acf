#include "Ferrule.h"

#if defined(__AVR__)
#include <avr/eeprom.h>
#endif

const ferrule_platform Ferrule::platform_ = {readByte, writeByte, milliseconds, bootCount};

Ferrule &Ferrule::add(ferrule_sensor &sensor) {
  ferrule_add_sensor(&device_, &sensor);
  return *this;
}

Ferrule &Ferrule::add(ferrule_actuator &actuator) {
  ferrule_add_actuator(&device_, &actuator);
  return *this;
}

Ferrule &Ferrule::failSafe(uint16_t ms) {
  device_.fail_safe_ms = ms;
  return *this;
}

void Ferrule::begin(Stream &stream, uint32_t boot) {
  stream_ = &stream;
  boot_ = boot;
  ferrule_begin(&device_, &platform_, this);
}

int Ferrule::readByte(void *self) { return static_cast<Ferrule *>(self)->stream_->read(); }

void Ferrule::writeByte(void *self, uint8_t byte) {
  Ferrule &device = *static_cast<Ferrule *>(self);
#if defined(__AVR__)
  device.stream_->write(byte);
#else
  device.hold_[device.held_++] = byte;
  // A newline ends every frame, and stands nowhere else.
  if (byte != '\n' && device.held_ < sizeof device.hold_) return;
  device.stream_->write(device.hold_, device.held_);
  device.held_ = 0;
#endif
}

uint32_t Ferrule::milliseconds(void *) { return millis(); }

uint32_t Ferrule::bootCount(void *self) {
  const uint32_t counted = static_cast<Ferrule *>(self)->boot_;
  if (counted != 0) return counted;
#if defined(__AVR__)
  uint32_t *const at = reinterpret_cast<uint32_t *>(E2END - 3);
  // An erased cell reads as all ones: the first start is number 0.
  const uint32_t boot = eeprom_read_dword(at) + 1;
  eeprom_update_dword(at, boot);
  return boot;
#elif defined(ESP32)
  return esp_random();
#elif defined(ESP8266)
  return RANDOM_REG32;
#else
  // It has only to differ from that of the start before: noise of an open pin, and how long the start took.
  uint32_t mixed = micros();
  for (uint8_t left = 32; left > 0; left--) mixed = mixed * 1664525UL + 1013904223UL + (uint32_t)analogRead(A0) + micros();
  return mixed;
#endif
}

ferrule_status ferrule_write_digital(ferrule_call *call, uint8_t pin, uint8_t on) {
  // The level first: an output that is made one before it has its level is at the wrong one for a moment.
  digitalWrite(pin, ferrule_value(call, 0) ? on : !on);
  pinMode(pin, OUTPUT);
  return FERRULE_DONE;
}

ferrule_status ferrule_write_pwm(ferrule_call *call, uint8_t pin) {
  analogWrite(pin, (int)((ferrule_value(call, 0) * 255 + 50) / 100));
  return FERRULE_DONE;
}

ferrule_status ferrule_read_digital(ferrule_reading *reading, ferrule_debounced *state, uint8_t pin, uint8_t mode,
                                    uint8_t on, uint16_t debounce_ms) {
  if (!state->is_known) pinMode(pin, mode);
  const bool is_on = digitalRead(pin) == on;
  const uint32_t now = millis();
  if (!state->is_known || (is_on != state->is_on && now - state->changed_at >= debounce_ms)) {
    state->is_known = true;
    state->is_on = is_on;
    state->changed_at = now;
  }
  return ferrule_boolean(reading, state->is_on);
}
