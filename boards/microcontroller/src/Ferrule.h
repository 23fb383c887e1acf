/*
 * Ferrule for Arduino: the sensors and actuators of a sketch, for a language model, over any serial line.
 * docs/microcontroller.md of the project has every macro and function, and how to wire a board.
 *
 *   #include <Ferrule.h>
 *
 *   FERRULE_DIGITAL_OUTPUT(lamp, "Lamp", LED_BUILTIN, FERRULE_SAFE(false));
 *   FERRULE(blink, "Blink", "1.0");
 *
 *   void setup() {
 *     Serial.begin(115200);
 *     blink.add(lamp).begin(Serial);
 *   }
 *   void loop() { blink.poll(); }
 */
#ifndef FERRULE_ARDUINO_H
#define FERRULE_ARDUINO_H

#include <Arduino.h>

#include "ferrule/device.h"

/** A device that speaks over a stream: Serial, SoftwareSerial, a TCP client. Made by FERRULE. */
class Ferrule {
 public:
  explicit constexpr Ferrule(ferrule_device &device) : device_(device), stream_(nullptr), boot_(0), held_(0), hold_{} {}

  /** Adds a sensor or an actuator. All of them before `begin`; they are numbered in this order. */
  Ferrule &add(ferrule_sensor &sensor);
  Ferrule &add(ferrule_actuator &actuator);

  /**
   * Starts: puts every actuator into its initial value and says hello. The stream is up already (`Serial.begin`).
   *
   * @param boot how often the device was started, where the sketch counts. When left out an AVR counts in the last four
   *   bytes of its EEPROM, and others take a random number.
   */
  void begin(Stream &stream, uint32_t boot = 0);

  /** Does all there is to do, and returns at once. Call it in `loop`, and do not delay there. */
  void poll() { ferrule_poll(&device_); }

  /** After so long a silence of the host everything is made safe, in ms; 5000 when left out. Before `begin`. */
  Ferrule &failSafe(uint16_t ms);

  /** Sends a line of the log: severity of RFC 5424, 6 (information) when left out. */
  void log(const char *text, uint8_t severity = 6) { ferrule_log(&device_, severity, text); }
  void log(const __FlashStringHelper *text, uint8_t severity = 6) {
    ferrule_log_flash(&device_, severity, reinterpret_cast<const char *>(text));
  }

  /** Whether a host is there. */
  bool isConnected() const { return ferrule_is_connected(&device_); }
  /** Whether outputs that need arming may move. */
  bool isArmed() const { return ferrule_is_armed(&device_); }
  /** Puts an actuator into its safe value. */
  void makeSafe(ferrule_actuator &actuator) { ferrule_make_safe(&device_, &actuator); }

 private:
  static int readByte(void *self);
  static void writeByte(void *self, uint8_t byte);
  static uint32_t milliseconds(void *self);
  static uint32_t bootCount(void *self);
  static const ferrule_platform platform_;

  ferrule_device &device_;
  Stream *stream_;
  uint32_t boot_;
  uint8_t held_;
#if defined(__AVR__)
  // A hardware serial port has a buffer of its own.
  uint8_t hold_[1];
#else
  // On a socket, and on USB, each write is a packet.
  uint8_t hold_[64];
#endif
};

/** Declares the device of a sketch: its name (also that of the object), title, and the version of its firmware. */
#define FERRULE(id, title, version)                                                               \
  FERRULE_DEVICE_OF(ferrule_device_##id, id, title, version, 64, 1, ferrule_only_place, FERRULE_NO_MORE);       \
  static Ferrule id(ferrule_device_##id)

/** The same with the size of the buffer in bytes (48 to 1024), calls at a time (1 to 16), and members: FERRULE_NO_MORE. */
#define FERRULE_SIZED(id, title, version, frame_bytes, calls, ...)                                                      \
  FERRULE_DEVICE_OF(ferrule_device_##id, id, title, version, frame_bytes, calls, ferrule_any_place, __VA_ARGS__);         \
  static Ferrule id(ferrule_device_##id)

/* ---- Ready parts: each ends with members, see declare.h ---------------------------------------------------------- */

/** A pin that is on or off: argument `on`. */
#define FERRULE_DIGITAL_OUTPUT(id, title, pin, ...) FERRULE_OUTPUT(id, title, ferrule_write_digital(call, pin, HIGH), __VA_ARGS__)
/** A pin that is on when it is LOW, like that of many relay boards. */
#define FERRULE_ACTIVE_LOW_OUTPUT(id, title, pin, ...) \
  FERRULE_OUTPUT(id, title, ferrule_write_digital(call, pin, LOW), __VA_ARGS__)

/** A pin with PWM: argument `percent`, 0 to 100. */
#define FERRULE_PWM(id, title, pin, ...)                                                             \
  FERRULE_NAMED_ARGUMENT(id, "percent", "", "%", FERRULE_INTEGER, FERRULE_RANGE(0, 100));             \
  static ferrule_status ferrule_set_##id(ferrule_call *call) { return ferrule_write_pwm(call, pin); } \
  FERRULE_ACTUATOR(id, title, ferrule_set_##id, FERRULE_TAKES(id), __VA_ARGS__)

/** A servo, any object with `write(degrees)`: argument `degrees`, 0 to 180. Attach it in `setup`, before `begin`. */
#define FERRULE_SERVO(id, title, servo, ...)                                                          \
  FERRULE_NAMED_ARGUMENT(id, "degrees", "", "deg", FERRULE_INTEGER, FERRULE_RANGE(0, 180));            \
  static ferrule_status ferrule_set_##id(ferrule_call *call) {                                        \
    servo.write((int)ferrule_value(call, 0));                                                         \
    return FERRULE_DONE;                                                                              \
  }                                                                                                   \
  FERRULE_ACTUATOR(id, title, ferrule_set_##id, FERRULE_TAKES(id), __VA_ARGS__)

/** An analogue pin: what the converter gives at the minimum and the maximum of FERRULE_RANGE, which has to be declared. */
#define FERRULE_ANALOG_INPUT(id, title, unit, pin, low, high, ...)                                              \
  static ferrule_status ferrule_read_##id(ferrule_reading *reading) {                                           \
    return ferrule_mapped(reading, analogRead(pin), low, high);                                                 \
  }                                                                                                             \
  FERRULE_SENSOR(id, title, unit, ferrule_read_##id, __VA_ARGS__)

/** A digital pin, true when HIGH; told at once, and then for so many ms no other change, so that it does not bounce. */
#define FERRULE_DIGITAL_INPUT(id, title, pin, mode, debounce_ms, ...) \
  FERRULE_INPUT(id, title, ferrule_read_digital(reading, &state, pin, mode, HIGH, debounce_ms), __VA_ARGS__)
/** A button between a pin and ground: true while it is pressed. Ends with FERRULE_BOOLEAN and other members. */
#define FERRULE_BUTTON(id, title, pin, ...) \
  FERRULE_INPUT(id, title, ferrule_read_digital(reading, &state, pin, INPUT_PULLUP, LOW, 20), __VA_ARGS__)

/* ---- What they are made of ---------------------------------------------------------------------------------------- */

struct ferrule_debounced {
  uint32_t changed_at;
  bool is_on;
  bool is_known;
};

ferrule_status ferrule_write_digital(ferrule_call *call, uint8_t pin, uint8_t on);
ferrule_status ferrule_write_pwm(ferrule_call *call, uint8_t pin);
ferrule_status ferrule_read_digital(ferrule_reading *reading, ferrule_debounced *state, uint8_t pin, uint8_t mode,
                                    uint8_t on, uint16_t debounce_ms);

#define FERRULE_OUTPUT(id, title, written, ...)                               \
  FERRULE_NAMED_ARGUMENT(id, "on", "", "", FERRULE_BOOLEAN);                  \
  static ferrule_status ferrule_set_##id(ferrule_call *call) { return written; } \
  FERRULE_ACTUATOR(id, title, ferrule_set_##id, FERRULE_TAKES(id), __VA_ARGS__)
#define FERRULE_INPUT(id, title, was_read, ...)                        \
  static ferrule_status ferrule_read_##id(ferrule_reading *reading) {  \
    static ferrule_debounced state;                                    \
    return was_read;                                                   \
  }                                                                    \
  FERRULE_SENSOR(id, title, "", ferrule_read_##id, __VA_ARGS__)

#endif
