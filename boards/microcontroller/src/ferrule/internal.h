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
  FERRULE_ARMED = 8,
  FERRULE_ID_SEEN = 32
};

/* ferrule_actuator.state: what it does, and what is to be remembered. */
enum {
  FERRULE_MOVES = 1,
  FERRULE_IS_AWAY = 4,
  FERRULE_HAS_MOVED = 8,
  FERRULE_HAS_SAFE = 16,
  FERRULE_NOT_SAFE = 32,
  FERRULE_STARTS = 64
};

/* ferrule_slot.state */
enum { FERRULE_SLOT_FREE, FERRULE_SLOT_RUNS, FERRULE_SLOT_OVER };

/* ferrule_sensor.state */
enum { FERRULE_READS = 1, FERRULE_WATCHED = 2, FERRULE_WATCH_BEGINS = 4, FERRULE_TOLD_NULL = 8, FERRULE_SAID_LATER = 16 };

/** Says that it goes on after half the answer time of 50 ms, which is not in the hello because it is the default. */
#define FERRULE_WORKING_AFTER_MS 25

#define FERRULE_MOST_ARGUMENTS 8
#define FERRULE_MOST_FRAME 1024

/** Milliseconds since a moment. */
uint32_t ferrule_since(const ferrule_device *device, const uint32_t *moment);
/** Whether so many milliseconds have passed since a moment. */
bool ferrule_is_past(const ferrule_device *device, const uint32_t *moment, uint32_t ms);
/** Sets a moment to now. */
void ferrule_mark(const ferrule_device *device, uint32_t *moment);

/* write.c */
/** FNV-1a, one byte further. */
void ferrule_hash(uint32_t *hash, uint8_t byte);
void ferrule_put(ferrule_device *device, uint8_t byte);
void ferrule_put_head(ferrule_device *device, uint8_t major, uint16_t argument);
void ferrule_put_long(ferrule_device *device, uint8_t major, uint32_t argument);
void ferrule_put_small(ferrule_device *device, int16_t number);
void ferrule_put_boolean(ferrule_device *device, bool value);
void ferrule_put_decimal(ferrule_device *device, int32_t number, uint8_t decimals);
void ferrule_put_integer(ferrule_device *device, int32_t number, uint8_t unused);
/** For outcomes: a number, and the other kinds. */
void ferrule_put_text_outcome(ferrule_device *device, const ferrule_outcome *outcome);
void ferrule_put_string(ferrule_device *device, uint8_t major, const void *bytes, uint16_t length, bool in_flash);
void ferrule_put_flash_text(ferrule_device *device, const void *text);
/** Begins a message of the session of `count` elements with its first three. */
void ferrule_open(ferrule_device *device, uint8_t count, uint8_t kind, int16_t id);
void ferrule_close(ferrule_device *device);
void ferrule_send_error(ferrule_device *device, int16_t id, int8_t code);
/** A message with nothing behind its id. */
void ferrule_send_short(ferrule_device *device, uint8_t kind, int16_t id);
/** Answers with an outcome, or with error 13 when it does not fit. As an update where `kind` says so. */
void ferrule_send_outcome(ferrule_device *device, uint8_t kind, int16_t id, const ferrule_outcome *outcome);

/** The part of a list that stands behind so many others, or NULL. */
void *ferrule_part_at(ferrule_part *part, uint8_t number);

/* record.c */
/** The member that was found last: a copy in RAM, good until the next search. */
extern ferrule_member ferrule_found;
/** Finds the first member with a key, in `ferrule_found`. False when there is none. */
bool ferrule_find(const ferrule_member *members, uint8_t key);
/** Finds the member with a key that stands behind so many others of it. */
bool ferrule_find_at(const ferrule_member *members, uint8_t key, uint8_t position);
/** Copies one member to `ferrule_found`. False for the last one, which is the name. */
bool ferrule_load(const ferrule_member *member);
/** The number of a member, the one behind so many of its key; 0 when there is none. */
int32_t ferrule_number_of(const ferrule_member *members, uint8_t key, uint8_t position);
/** A member that is a number of milliseconds, or `otherwise`. */
uint32_t ferrule_ms_of(const ferrule_member *members, uint8_t key, uint16_t otherwise);
/** Finds the type of a sensor or an argument. Returns its decimals. */
uint8_t ferrule_find_type(const ferrule_member *members);
/** Writes a number as the type that was found last. */
void ferrule_put_typed(ferrule_device *device, int32_t number, uint8_t decimals);
/** The description of an argument, or NULL behind the last one. */
const ferrule_member *ferrule_argument_members(const ferrule_actuator *actuator, uint8_t position);
/** Writes a record. False when there is none of this number, and nothing was written. */
bool ferrule_put_record(ferrule_device *device, uint8_t number);
/** Counts the records, and makes their hash. */
void ferrule_hash_records(ferrule_device *device);

/* sensors.c */
void ferrule_ask(ferrule_device *device, ferrule_sensor *sensor, int8_t id);
void ferrule_poll_sensors(ferrule_device *device);
void ferrule_forget_asks(ferrule_device *device);

/* calls.c */
/** The reader stands at the arguments. */
void ferrule_take_call(ferrule_device *device, int16_t id, uint8_t actuator);
void ferrule_cancel(ferrule_device *device, int16_t id, uint8_t unused);
/** Breaks off what runs, and makes it safe. Returns whether it is. */
bool ferrule_break_off(ferrule_device *device, ferrule_actuator *actuator, ferrule_status reason);
/** The same with all actuators. */
void ferrule_stop(ferrule_device *device);
/** Nobody waits for anything any more. */
void ferrule_forget_calls(ferrule_device *device);
/** Gives an actuator the values of its members with a key. */
void ferrule_load_values(ferrule_actuator *actuator, uint8_t key);
void ferrule_set_initial(ferrule_device *device);
void ferrule_poll_actuators(ferrule_device *device);

#endif
