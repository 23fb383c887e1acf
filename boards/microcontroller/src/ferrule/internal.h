/* What the parts of the device know of each other. Not for sketches. */
#ifndef FERRULE_INTERNAL_H
#define FERRULE_INTERNAL_H

#include "device.h"

enum {
  FERRULE_CODE_UNSUPPORTED = 1,
  FERRULE_CODE_UNKNOWN = 2,
  FERRULE_CODE_BAD_ARGUMENTS = 3,
  FERRULE_CODE_OUT_OF_RANGE = 4,
  FERRULE_CODE_BUSY = 5,
  FERRULE_CODE_INTERLOCKED = 6,
  FERRULE_CODE_TOO_SOON = 7,
  FERRULE_CODE_NOT_ARMED = 8,
  FERRULE_CODE_NO_SESSION = 14,
  FERRULE_CODE_FORGOTTEN = 15
};

enum {
  FERRULE_KIND_HELLO = 0,
  FERRULE_KIND_PING = 1,
  FERRULE_KIND_DESCRIBE = 2,
  FERRULE_KIND_READ = 3,
  FERRULE_KIND_CALL = 4,
  FERRULE_KIND_CANCEL = 5,
  FERRULE_KIND_WATCH = 6,
  FERRULE_KIND_UNWATCH = 7,
  FERRULE_KIND_STOP = 8,
  FERRULE_KIND_ARM = 9,
  FERRULE_KIND_RESULT = 12,
  FERRULE_KIND_ERROR = 13,
  FERRULE_KIND_DEVICE_HELLO = 14,
  FERRULE_KIND_UPDATE = 15,
  FERRULE_KIND_PROGRESS = 16,
  FERRULE_KIND_LOG = 17
};

/* ferrule_device.flags */
enum {
  FERRULE_SESSION_USED = 1,
  FERRULE_FAIL_SAFE_RUNS = 2,
  FERRULE_STOP_WAITS = 4,
  FERRULE_ARMED = 8,
  FERRULE_HAS_ARMING = 16,
  FERRULE_ID_SEEN = 32
};

/* ferrule_device.sink: where bytes of messages go. */
enum { FERRULE_TO_LINE, FERRULE_TO_HASH, FERRULE_TO_COUNT };

/* ferrule_actuator.state: what it does, and what is to be remembered. */
enum {
  FERRULE_MOVES = 1,
  FERRULE_GETS_SAFE = 2,
  FERRULE_IS_AWAY = 4,
  FERRULE_HAS_MOVED = 8,
  FERRULE_NOT_SAFE = 16
};

/* ferrule_slot.state */
enum { FERRULE_SLOT_FREE, FERRULE_SLOT_RUNS, FERRULE_SLOT_OVER };

/* ferrule_sensor.state */
enum { FERRULE_READS = 1, FERRULE_WATCHED = 2, FERRULE_WATCH_BEGINS = 4, FERRULE_TOLD_NULL = 8, FERRULE_SAID_LATER = 16 };

/* ferrule_outcome.form, besides the decimals */
enum {
  FERRULE_OUTCOME_NULL = 0x10,
  FERRULE_OUTCOME_BOOLEAN = 0x20,
  FERRULE_OUTCOME_TEXT = 0x40,
  FERRULE_OUTCOME_BYTES = 0x60,
  FERRULE_OUTCOME_FLASH = 0x80,
  FERRULE_OUTCOME_KIND = 0x70
};

/** Says that it goes on after half the answer time of 50 ms, which is not in the hello because it is the default. */
#define FERRULE_WORKING_AFTER_MS 25
#define FERRULE_ANSWER_BYTES 64

/* write.c */
void ferrule_put(ferrule_device *device, uint8_t byte);
void ferrule_put_head(ferrule_device *device, uint8_t major, uint32_t argument);
void ferrule_put_number(ferrule_device *device, int32_t number, uint8_t decimals);
void ferrule_put_bytes(ferrule_device *device, uint8_t major, const void *bytes, uint16_t length, bool in_flash);
void ferrule_put_text(ferrule_device *device, const char *text, bool in_flash);
/** Begins a message of `count` elements with its first three. */
void ferrule_open(ferrule_device *device, uint8_t count, uint8_t kind, uint16_t session, int16_t id);
void ferrule_close(ferrule_device *device);
void ferrule_send_error(ferrule_device *device, uint16_t session, int16_t id, int8_t code);
void ferrule_send_progress(ferrule_device *device, int16_t id);
/** Answers with an outcome, or with error 13 when it does not fit. As an update where `kind` says so. */
void ferrule_send_outcome(ferrule_device *device, uint8_t kind, int16_t id, const ferrule_outcome *outcome);

/* record.c */
/** Finds the first member with a key. False when there is none. */
bool ferrule_find(const ferrule_member *members, uint8_t key, ferrule_member *member);
/** A member that is a number of milliseconds, or `otherwise`. */
uint32_t ferrule_ms_of(const ferrule_member *members, uint8_t key, uint32_t otherwise);
/** The decimals in which the values of a sensor or an argument are given. */
uint8_t ferrule_decimals_of(const ferrule_member *members);
/** The description of an argument, or NULL behind the last one. */
const ferrule_member *ferrule_argument_members(const ferrule_actuator *actuator, uint8_t position);
/** Writes a record. False when there is none of this number, and nothing was written. */
bool ferrule_put_record(ferrule_device *device, uint32_t number);
/** Counts the records, and makes their hash. */
void ferrule_hash_records(ferrule_device *device);

/* sensors.c */
ferrule_sensor *ferrule_sensor_at(ferrule_device *device, int32_t number);
void ferrule_ask(ferrule_device *device, ferrule_sensor *sensor, int8_t id);
void ferrule_watch(ferrule_device *device, ferrule_sensor *sensor, int8_t id);
void ferrule_poll_sensors(ferrule_device *device);
void ferrule_forget_asks(ferrule_device *device);

/* calls.c */
void ferrule_take_call(ferrule_device *device, uint8_t id, int32_t actuator, ferrule_cursor *rest);
void ferrule_cancel(ferrule_device *device, uint8_t id);
/** Breaks off what runs, and makes everything safe; only what needs arming when told so. */
void ferrule_stop(ferrule_device *device, bool only_arming);
/** Nobody waits for anything any more. */
void ferrule_forget_calls(ferrule_device *device);
void ferrule_set_initial(ferrule_device *device);
void ferrule_poll_actuators(ferrule_device *device);
/** Answers a stop that waits, once everything is safe. */
void ferrule_answer_stop(ferrule_device *device);

#endif
