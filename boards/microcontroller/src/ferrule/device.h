/*
 * The device side of Ferrule's compact serial link (docs/link.md): serves sensors and actuators to one host at a time
 * over any line of bytes. Portable C99. No heap, no floating point, nothing that waits; one buffer for what comes in,
 * none for what goes out.
 *
 *   FERRULE_SENSOR(moisture, "Soil moisture", "%", read_moisture, FERRULE_INTEGER, FERRULE_RANGE(0, 100));
 *   FERRULE_ARGUMENT(on, "On", "", FERRULE_BOOLEAN);
 *   FERRULE_ACTUATOR(pump, "Pump", set_pump, FERRULE_TAKES(on), FERRULE_SAFE(false));
 *   FERRULE_DEVICE(greenhouse, "Greenhouse", "1.0");
 *
 *   ferrule_add_sensor(&greenhouse, &moisture);
 *   ferrule_add_actuator(&greenhouse, &pump);
 *   ferrule_begin(&greenhouse, &platform, NULL);
 *   for (;;) ferrule_poll(&greenhouse);
 */
#ifndef FERRULE_DEVICE_H
#define FERRULE_DEVICE_H

#include <stdbool.h>

#include "cbor.h"
#include "flash.h"
#include "frame.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ferrule_device ferrule_device;
typedef struct ferrule_sensor ferrule_sensor;
typedef struct ferrule_actuator ferrule_actuator;
typedef struct ferrule_reading ferrule_reading;
typedef struct ferrule_call ferrule_call;

/** What a device needs of the chip it runs on. None of these may wait for long; `context` is what `ferrule_begin` got. */
typedef struct ferrule_platform {
  /** The next byte that was received, or -1 when there is none. */
  int (*read)(void *context);
  /** Sends a byte. May wait until the sender has room for it. */
  void (*write)(void *context, uint8_t byte);
  /** Milliseconds since the start, or since any other moment; runs over to 0 after 2^32 - 1. */
  uint32_t (*millis)(void *context);
  /** How often the device was started, this start counted; a random number where that cannot be kept. Asked once. */
  uint32_t (*boot)(void *context);
} ferrule_platform;

/**
 * How a reading or a call went: FERRULE_DONE, FERRULE_LATER, one of the link's error codes (section 9), or an error of
 * your own, -1 to -127.
 */
typedef int8_t ferrule_status;

enum {
  FERRULE_DONE = 0,
  FERRULE_BUSY = 5,
  FERRULE_TIMED_OUT = 9,
  FERRULE_CANCELLED = 10,
  FERRULE_STOPPED = 11,
  FERRULE_FAILED = 12,
  FERRULE_TOO_LARGE = 13,
  /** It goes on: what `ferrule_not_yet` and `ferrule_later` return. */
  FERRULE_LATER = 127
};

/**
 * Reads a sensor: returns `ferrule_number(reading, …)` or one of its sisters, `ferrule_fail(…)`, or `ferrule_not_yet(reading)`.
 */
typedef ferrule_status ferrule_read(ferrule_reading *reading);

/**
 * Moves an actuator: returns FERRULE_DONE, `ferrule_refuse(…)`, or `ferrule_later(call)`. Its arguments have been checked. It is
 * called for the safe value in the same way, at any time, also while it moves: it then gives up what it was doing.
 */
typedef ferrule_status ferrule_set(ferrule_call *call);

/** One member of a description. In flash; made by the macros of declare.h. */
typedef struct ferrule_member {
  uint8_t key;
  uint8_t form;
  int32_t number;
  /** A text, or the rule that enforces the member; in flash as well. */
  const void *at;
} ferrule_member;

/** What came of a reading or a call, until it is sent: `put` writes it. Its members are private. */
typedef struct ferrule_outcome {
  ferrule_status status;
  uint8_t decimals;
  uint16_t length;
  int32_t number;
  const char *text;
  void (*put)(ferrule_device *device, const struct ferrule_outcome *outcome);
} ferrule_outcome;

/** What a sensor and an actuator have in common. */
typedef struct ferrule_part {
  const ferrule_member *members;
  struct ferrule_part *next;
} ferrule_part;

/** A sensor and its state, 28 bytes on AVR. Made by FERRULE_SENSOR; its members are private. */
struct ferrule_sensor {
  ferrule_part part;
  ferrule_read *read;
  uint8_t state;
  int8_t asked;
  uint32_t began_at;
  uint32_t told_at;
  uint32_t interval;
  int32_t told;
  int32_t dead_band;
};

/** An actuator and its state, 27 bytes on AVR and 8 for each argument. Made by FERRULE_ACTUATOR; its members are private. */
struct ferrule_actuator {
  ferrule_part part;
  ferrule_set *set;
  const ferrule_member *const *arguments;
  /** What it was given last, and behind that its safe values. */
  int32_t *values;
  struct ferrule_slot *slot;
  uint8_t count;
  uint8_t state;
  ferrule_status reason;
  uint32_t began_at;
  uint32_t moved_at;
  uint32_t away_at;
};

/** The memory for one call, so that it runs once however often it comes: 18 bytes on AVR. Its members are private. */
typedef struct ferrule_slot {
  uint8_t id;
  uint8_t state;
  uint16_t told_at;
  ferrule_actuator *actuator;
  ferrule_outcome outcome;
} ferrule_slot;

/**
 * Of the hello of a device: hash and number of its records, boot count, largest frame, calls at a time, fail-safe period,
 * and where outputs need arming, whether they are armed.
 */
enum {
  FERRULE_SAID_HASH,
  FERRULE_SAID_RECORDS,
  FERRULE_SAID_BOOT,
  FERRULE_SAID_FRAME,
  FERRULE_SAID_CALLS,
  FERRULE_SAID_PERIOD,
  FERRULE_SAID_ARMED,
  FERRULE_SAID
};

/** A device. Made by FERRULE_DEVICE; what is not documented here is private. */
struct ferrule_device {
  const ferrule_member *members;
  ferrule_slot *slots;
  uint8_t slot_count;
  ferrule_slot *(*place)(ferrule_device *device, const uint8_t *open);
  ferrule_frame frame;
  /** The longest silence of the host before everything is made safe, in ms; 5000. Set it before `ferrule_begin`. */
  uint16_t fail_safe_ms;

  const ferrule_platform *platform;
  void *context;
  void (*arm)(ferrule_device *device, int16_t id, uint8_t armed);
  void (*hold)(ferrule_device *device);
  ferrule_part *sensors;
  ferrule_part *actuators;
  uint16_t fcs;
  uint16_t session;
  uint8_t flags;
  uint8_t newest;
  uint8_t updates;
  bool hashes;
  uint32_t fed_at;
  uint8_t said_count;
  /** What the hello says, from member 4 on. */
  uint32_t said[FERRULE_SAID];
};

/** Adds a sensor. Call it before `ferrule_begin`; sensors are numbered in this order. */
void ferrule_add_sensor(ferrule_device *device, ferrule_sensor *sensor);

/** Adds an actuator. Call it before `ferrule_begin`; actuators are numbered in this order. */
void ferrule_add_actuator(ferrule_device *device, ferrule_actuator *actuator);

/** Starts: puts every actuator into its initial value and says hello. The platform is kept, not copied. */
void ferrule_begin(ferrule_device *device, const ferrule_platform *platform, void *context);

/** Does all there is to do, and returns. Call it as often as you can. */
void ferrule_poll(ferrule_device *device);

/** Sends a line of the log: severity of RFC 5424 (3 error, 4 warning, 6 information), text in RAM. */
void ferrule_log(ferrule_device *device, uint8_t severity, const char *text);

/** The same with a text in flash: FERRULE_T("text"). */
void ferrule_log_flash(ferrule_device *device, uint8_t severity, const char *text);

/** Whether a host is there: it said hello, and was heard within the fail-safe period. */
bool ferrule_is_connected(const ferrule_device *device);

/** Whether outputs that need arming may move. */
bool ferrule_is_armed(const ferrule_device *device);

/* ---- In a read function --------------------------------------------------------------------------------------- */

/** A reading under way. */
struct ferrule_reading {
  ferrule_device *device;
  ferrule_sensor *sensor;
  /** True when it begins, false when it is called again because it had not ended. */
  bool is_first;
  ferrule_outcome outcome;
};

/** A number in the sensor's decimals: with FERRULE_NUMBER(1), 225 is 22.5. */
ferrule_status ferrule_number(ferrule_reading *reading, int32_t number);

/** A number as a float, rounded to the sensor's decimals. The one function that needs floating point; NaN fails. */
ferrule_status ferrule_float(ferrule_reading *reading, float number);

/** A truth value. */
ferrule_status ferrule_boolean(ferrule_reading *reading, bool value);

/** A text in RAM, which must stand until the next poll. */
ferrule_status ferrule_text(ferrule_reading *reading, const char *text);

/** Bytes in RAM, which must stand until the next poll. */
ferrule_status ferrule_bytes(ferrule_reading *reading, const void *bytes, uint16_t length);

/** Maps what a converter gives linearly onto the sensor's declared range, `low` on its minimum; never beyond it. */
ferrule_status ferrule_mapped(ferrule_reading *reading, int16_t raw, int16_t low, int16_t high);

/** There is none yet: the same function is called again with every poll, for as long as the sensor may take. */
ferrule_status ferrule_not_yet(ferrule_reading *reading);

/** There is no reading; `text`, in flash, says what to check. Returns FERRULE_FAILED. */
ferrule_status ferrule_fail(ferrule_reading *reading, const char *text);

/* ---- In a set function ---------------------------------------------------------------------------------------- */

/** A call under way. */
struct ferrule_call {
  ferrule_device *device;
  ferrule_actuator *actuator;
  /** True when it begins, false when it is called again because it had not ended. */
  bool is_first;
  /**
   * FERRULE_DONE for a call of the host. Otherwise the device wants it safe, and this says why: FERRULE_CANCELLED,
   * FERRULE_STOPPED, FERRULE_TIMED_OUT, or FERRULE_LATER at boot (then with the initial value).
   */
  ferrule_status reason;
  const uint8_t *args;
  ferrule_outcome *outcome;
};

/** The arguments of the actuator as they were given last, by position, in their decimals; true is 1, a text its length. */
int32_t ferrule_argument(const ferrule_actuator *actuator, uint8_t position);

/** The same for the actuator of a call. */
int32_t ferrule_value(const ferrule_call *call, uint8_t position);

/** An argument as a float. Needs floating point. */
float ferrule_float_value(const ferrule_call *call, uint8_t position);

/**
 * Copies an argument that is text or bytes, and a 0 behind it. It is there while `is_first` only.
 *
 * @returns how many bytes it has, which may be more than were copied
 */
uint16_t ferrule_copy(const ferrule_call *call, uint8_t position, char *to, uint16_t size);

/**
 * It goes on: the same function is called again with every poll until it returns something else. The host is told. Returns
 * FERRULE_LATER, or FERRULE_TIMED_OUT once it took longer than its longest time.
 */
ferrule_status ferrule_later(ferrule_call *call);

/** Says how far it is: `done` of `total`, which may be 0 when it is not known. Sent four times a second at most. */
void ferrule_progress(ferrule_call *call, int32_t done, int32_t total);

/** What the call gives back, as a whole number. Returns FERRULE_DONE. */
ferrule_status ferrule_result(ferrule_call *call, int32_t number);

/** The same with decimals: 225 with 1 is 22.5. */
ferrule_status ferrule_decimal_result(ferrule_call *call, int32_t number, uint8_t decimals);

/** It is not done: an error of the link (FERRULE_FAILED) or of your own (below 0), and a text in flash. Returns `status`. */
ferrule_status ferrule_refuse(ferrule_call *call, ferrule_status status, const char *text);

/* ---- For a sketch that regulates by itself -------------------------------------------------------------------- */

/** Whether the arguments last given are other than the safe ones. */
bool ferrule_is_away(const ferrule_actuator *actuator);

/** Puts an actuator into its safe value, as a stop does. What runs on it is answered with FERRULE_STOPPED. */
void ferrule_make_safe(ferrule_device *device, ferrule_actuator *actuator);

#ifdef __cplusplus
}
#endif

#include "declare.h"

#endif
