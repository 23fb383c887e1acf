/* The device: takes what the host says, keeps the session and the fail-safe period. */
#include "device.h"

#include "internal.h"
#include "number.h"

#define VERSION 1
#define LEAST_PERIOD_MS 300
#define DEFAULT_INTERVAL_MS 1000
/* So many bytes are taken in one poll, or one message: whoever sends without end must not stop the sketch. */
#define BYTES_A_POLL 128

uint32_t ferrule_since(const ferrule_device *device, const uint32_t *moment) {
  return device->platform->millis(device->context) - *moment;
}

bool ferrule_is_past(const ferrule_device *device, const uint32_t *moment, uint32_t ms) {
  return ferrule_since(device, moment) >= ms;
}

void ferrule_mark(const ferrule_device *device, uint32_t *moment) {
  *moment = 0;
  *moment = ferrule_since(device, moment);
}

FERRULE_CALLED static void add(ferrule_part **at, ferrule_part *part) {
  while (*at != NULL) at = &(*at)->next;
  *at = part;
}

void ferrule_add_sensor(ferrule_device *device, ferrule_sensor *sensor) { add(&device->sensors, &sensor->part); }

void ferrule_add_actuator(ferrule_device *device, ferrule_actuator *actuator) {
  add(&device->actuators, &actuator->part);
}

void *ferrule_part_at(ferrule_part *part, uint8_t number) {
  while (part != NULL && number-- > 0) part = part->next;
  return part;
}

/* ---- What it says of itself ---- */

static bool has_text(const ferrule_device *device, uint8_t key) {
  return ferrule_find(device->members, key & FERRULE_KEY_BITS);
}

static void say_hello(ferrule_device *device) {
  uint8_t count = (uint8_t)(2 + device->said_count);
  if (has_text(device, FERRULE_KEY_UNIQUE_ID)) count++;
  ferrule_open(device, 4, FERRULE_KIND_DEVICE_HELLO, VERSION);
  ferrule_put_head(device, FERRULE_ITEM_MAP, count);
  for (uint8_t key = 1; key <= 3; key++) {
    if (!has_text(device, key == 1 ? FERRULE_KEY_DEVICE : (uint8_t)(FERRULE_KEY_UNIQUE_ID - 2 + key))) continue;
    ferrule_put(device, key);
    ferrule_put_flash_text(device, ferrule_found.at);
  }
  /* Numbers from member 4 on, and as member 15 false or true, which are the simple values 20 and 21 of CBOR. */
  device->said[FERRULE_SAID_ARMED] = ferrule_is_armed(device) ? 21 : 20;
  for (uint8_t at = 0; at < device->said_count; at++) {
    const bool is_flag = at == FERRULE_SAID_ARMED;
    ferrule_put(device, is_flag ? 15 : (uint8_t)(4 + at));
    ferrule_put_long(device, is_flag ? 7 : FERRULE_ITEM_POSITIVE, device->said[at]);
  }
  ferrule_close(device);
}

static void log_text(ferrule_device *device, uint8_t severity, const char *text, uint16_t length, bool in_flash) {
  ferrule_open(device, 4, FERRULE_KIND_LOG, severity);
  ferrule_put_string(device, FERRULE_ITEM_TEXT, text, length, in_flash);
  ferrule_close(device);
}

void ferrule_log(ferrule_device *device, uint8_t severity, const char *text) {
  log_text(device, severity, text, (uint16_t)strlen(text), false);
}

void ferrule_log_flash(ferrule_device *device, uint8_t severity, const char *text) {
  log_text(device, severity, text, (uint16_t)ferrule_flash_length(text), true);
}

bool ferrule_is_connected(const ferrule_device *device) { return (device->flags & FERRULE_FAIL_SAFE_RUNS) != 0; }

bool ferrule_is_armed(const ferrule_device *device) { return (device->flags & FERRULE_ARMED) != 0; }

/* ---- What it is told ---- */

FERRULE_CALLED static void feed(ferrule_device *device) {
  ferrule_mark(device, &device->fed_at);
  device->flags |= FERRULE_FAIL_SAFE_RUNS;
}

/* The reader stands at the members. */
static void begin_session(ferrule_device *device) {
  uint8_t left = (uint8_t)ferrule_argument16();
  device->flags &= (uint8_t)~FERRULE_SESSION_USED;
  device->updates = 0;
  device->said[FERRULE_SAID_PERIOD] = device->fail_safe_ms;
  /* Keys rise, so the period comes before all that may be nested. */
  for (; left > 0; left--) {
    if (ferrule_next() != FERRULE_ITEM_POSITIVE) break;
    const uint16_t key = ferrule_argument16();
    if (key > 2) break;
    if (ferrule_next() != FERRULE_ITEM_POSITIVE || key < 2) continue;
    const uint16_t asked = ferrule_argument16();
    if (asked < device->fail_safe_ms) {
      device->said[FERRULE_SAID_PERIOD] = asked < LEAST_PERIOD_MS ? LEAST_PERIOD_MS : asked;
    }
  }
  ferrule_forget_asks(device);
  ferrule_forget_calls(device);
}

static void take_hello(ferrule_device *device, uint16_t session) {
  if (ferrule_next() != FERRULE_ITEM_POSITIVE || session == 0) return;
  const bool is_spoken = ferrule_argument16() == VERSION;
  if (ferrule_next() != FERRULE_ITEM_MAP) return;
  const uint16_t own = device->session;
  device->session = session;
  if (is_spoken && (session != own || (device->flags & FERRULE_SESSION_USED) != 0)) {
    begin_session(device);
    /* Not by a copy: who says hello again and again hears nothing of us. */
    feed(device);
  }
  say_hello(device);
  if (!is_spoken) device->session = own;
}

static void answer_number(ferrule_device *device, int16_t id, uint8_t number) {
  ferrule_open(device, 4, FERRULE_KIND_RESULT, id);
  ferrule_put_head(device, FERRULE_ITEM_POSITIVE, number);
  ferrule_close(device);
}

static void take_ping(ferrule_device *device, int16_t id, uint8_t unused) {
  (void)unused;
  answer_number(device, id, device->updates);
}

static void take_stop(ferrule_device *device, int16_t id, uint8_t failed) {
  device->flags &= (uint8_t)~FERRULE_ARMED;
  ferrule_part *part;
  for (part = device->actuators; part != NULL; part = part->next) {
    ferrule_actuator *actuator = (ferrule_actuator *)part;
    actuator->state &= (uint8_t)~FERRULE_NOT_SAFE;
    if (ferrule_break_off(device, actuator, FERRULE_STOPPED)) continue;
    actuator->state |= FERRULE_NOT_SAFE;
    failed++;
  }
  ferrule_open(device, failed > 0 ? 4 : 3, FERRULE_KIND_RESULT, id);
  if (failed > 0) ferrule_put_head(device, FERRULE_ITEM_ARRAY, failed);
  uint8_t number = 0;
  for (part = device->actuators; part != NULL; part = part->next, number++) {
    if ((((ferrule_actuator *)part)->state & FERRULE_NOT_SAFE) != 0) {
      ferrule_put_head(device, FERRULE_ITEM_POSITIVE, number);
    }
  }
  ferrule_close(device);
}

static void describe(ferrule_device *device, int16_t id, uint8_t number) {
  if (number >= (uint8_t)device->said[FERRULE_SAID_RECORDS]) {
    ferrule_send_error(device, id, FERRULE_CODE_UNKNOWN);
    return;
  }
  ferrule_open(device, 4, FERRULE_KIND_RESULT, id);
  (void)ferrule_put_record(device, number);
  ferrule_close(device);
}

static void take_read(ferrule_device *device, int16_t id, uint8_t number) {
  ferrule_sensor *sensor = ferrule_part_at(device->sensors, number);
  if (sensor == NULL) ferrule_send_error(device, id, FERRULE_CODE_UNKNOWN);
  else ferrule_ask(device, sensor, (int8_t)id);
}

static void take_unwatch(ferrule_device *device, int16_t id, uint8_t number) {
  ferrule_sensor *sensor = ferrule_part_at(device->sensors, number);
  if (sensor != NULL) sensor->state &= (uint8_t) ~(FERRULE_WATCHED | FERRULE_WATCH_BEGINS);
  ferrule_send_short(device, FERRULE_KIND_RESULT, id);
}

/* What a watch is given stands at the reader; it is numbers or null. */
static void take_watch(ferrule_device *device, int16_t id, uint8_t number) {
  ferrule_sensor *sensor = ferrule_part_at(device->sensors, number);
  if (sensor != NULL) {
    const ferrule_member *members = sensor->part.members;
    sensor->interval = ferrule_ms_of(members, FERRULE_KEY_INTERVAL, DEFAULT_INTERVAL_MS);
    sensor->dead_band = ferrule_number_of(members, FERRULE_KEY_DEAD_BAND, 0);
    const uint8_t decimals = ferrule_find_type(members);
    ferrule_take *take_number = ferrule_flash_function(ferrule_take, ferrule_found.at);
    /* What is no number, or too large for 32 bits, is as if it were left out. */
    (void)ferrule_next();
    if (ferrule_take_integer(0) == 0) sensor->interval = (uint32_t)ferrule_given.value;
    (void)ferrule_next();
    if (take_number(decimals) == 0) sensor->dead_band = ferrule_given.value;
    sensor->state = (sensor->state & (uint8_t)~FERRULE_WATCHED) | FERRULE_WATCH_BEGINS;
  }
  take_read(device, id, number);
}

/* Takes a number of 8 bits that may be below 0: what the link's kinds and ids are. */
static int16_t take_small(void) {
  const uint8_t type = ferrule_next();
  const int16_t value = (int16_t)ferrule_argument16();
  if (type > FERRULE_ITEM_NEGATIVE || (uint16_t)value > 0xFF) return INT16_MIN;
  return type == FERRULE_ITEM_NEGATIVE ? (int16_t)~value : value;
}

typedef void taker(ferrule_device *device, int16_t id, uint8_t number);
static taker *const takers[] FERRULE_FLASH = {
    take_ping, describe, take_read, ferrule_take_call, ferrule_cancel, take_watch, take_unwatch, take_stop,
};

/* Takes a message. What cannot be read to its end is not acted on. */
static void take(ferrule_device *device, uint16_t length) {
  const uint8_t *const end = device->frame.buffer + length;
  ferrule_in.at = device->frame.buffer;
  ferrule_in.end = end;
  if (!ferrule_skip() || ferrule_in.at != end) return;
  ferrule_in.at = device->frame.buffer;
  if (ferrule_next() != FERRULE_ITEM_ARRAY) return;
  const int16_t kind = take_small();
  if (ferrule_next() != FERRULE_ITEM_POSITIVE) return;
  const uint16_t session = ferrule_argument16();
  if (kind == FERRULE_KIND_HELLO) {
    take_hello(device, session);
    return;
  }
  const int16_t id = take_small();
  if (id < -24) return;
  uint8_t number = 0;
  if (kind > FERRULE_KIND_HELLO && kind <= FERRULE_KIND_ARM) {
    if ((id >= 0) != (kind == FERRULE_KIND_CALL || kind == FERRULE_KIND_CANCEL)) return;
    if (kind != FERRULE_KIND_PING && kind != FERRULE_KIND_CANCEL && kind < FERRULE_KIND_STOP) {
      const uint8_t type = ferrule_next();
      if (type != FERRULE_ITEM_POSITIVE && type != FERRULE_ITEM_WIDE) return;
      const uint16_t given = ferrule_argument16();
      number = type == FERRULE_ITEM_WIDE || given > 0xFF ? 0xFF : (uint8_t)given;
    }
    const uint8_t *const at = ferrule_in.at;
    if (kind == FERRULE_KIND_CALL && ferrule_next() != FERRULE_ITEM_ARRAY) return;
    if (kind == FERRULE_KIND_ARM) {
      number = (uint8_t)(ferrule_next() - FERRULE_ITEM_FALSE);
      if (number > 1) return;
    }
    ferrule_in.at = at;
  } else if (kind >= FERRULE_KIND_RESULT && kind <= FERRULE_KIND_LOG) {
    /* What only a device says. */
    return;
  }
  const uint16_t own = device->session;
  if (session == own && own != 0) {
    device->flags |= FERRULE_SESSION_USED;
    feed(device);
  } else {
    device->session = session;
    if (kind != FERRULE_KIND_STOP) {
      ferrule_send_error(device, id, FERRULE_CODE_NO_SESSION);
      device->session = own;
      return;
    }
  }
  taker *take_it = NULL;
  if (kind == FERRULE_KIND_ARM) take_it = device->arm;
  else if (kind >= FERRULE_KIND_PING && kind < FERRULE_KIND_ARM) take_it = ferrule_flash_function(taker, takers + kind - 1);
  if (take_it != NULL) take_it(device, id, number);
  else ferrule_send_error(device, id, FERRULE_CODE_UNSUPPORTED);
  device->session = own;
}

/* ---- Its life ---- */

void ferrule_begin(ferrule_device *device, const ferrule_platform *platform, void *context) {
  device->platform = platform;
  device->context = context;
  device->said[FERRULE_SAID_BOOT] = platform->boot(context);
  device->said[FERRULE_SAID_PERIOD] = device->fail_safe_ms;
  ferrule_hash_records(device);
  ferrule_set_initial(device);
  /* Ends whatever the boot loader printed, or the frame that the restart cut. */
  platform->write(context, '\n');
  say_hello(device);
}

FERRULE_CALLED void ferrule_poll(ferrule_device *device) {
  for (uint8_t left = BYTES_A_POLL; left > 0; left--) {
    const int byte = device->platform->read(device->context);
    if (byte < 0) break;
    const int16_t length = ferrule_frame_take(&device->frame, (uint8_t)byte);
    if (length <= 0) continue;
    take(device, (uint16_t)length);
    break;
  }
  if (ferrule_is_connected(device) && ferrule_is_past(device, &device->fed_at, device->said[FERRULE_SAID_PERIOD])) {
    device->flags &= (uint8_t) ~(FERRULE_FAIL_SAFE_RUNS | FERRULE_ARMED);
    ferrule_stop(device);
  }
  ferrule_poll_actuators(device);
  ferrule_poll_sensors(device);
}
