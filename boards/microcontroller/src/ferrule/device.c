/* The device: takes what the host says, keeps the session and the fail-safe period. */
#include "device.h"

#include "internal.h"
#include "number.h"

#define VERSION 1
#define LEAST_FRAME 48
#define MOST_FRAME 1024
#define LEAST_PERIOD_MS 300
#define DEFAULT_PERIOD_MS 5000
#define DEFAULT_INTERVAL_MS 1000
/* So many bytes are taken in one poll at most: whoever sends without end must not stop the sketch. */
#define BYTES_A_POLL 128

static uint32_t now(const ferrule_device *device) { return device->platform->millis(device->context); }

void ferrule_add_sensor(ferrule_device *device, ferrule_sensor *sensor) {
  ferrule_sensor **at = &device->sensors;
  while (*at != NULL) at = &(*at)->next;
  *at = sensor;
}

void ferrule_add_actuator(ferrule_device *device, ferrule_actuator *actuator) {
  ferrule_actuator **at = &device->actuators;
  while (*at != NULL) at = &(*at)->next;
  *at = actuator;
}

/* ---- What it says of itself ---- */

static uint32_t hello_number(const ferrule_device *device, uint8_t key) {
  switch (key) {
    case 4: return device->hash;
    case 5: return device->records;
    case 6: return device->boot;
    case 7: return device->frame.size;
    case 8: return device->slot_count;
    case 9: return device->period;
    default: return device->largest_answer;
  }
}

/* Members 1 to 15 of the hello; what is as when left out is left out. */
static bool put_hello_member(ferrule_device *device, uint8_t key, bool writes) {
  static const uint8_t text_keys[3] = {FERRULE_KEY_DEVICE, FERRULE_KEY_UNIQUE_ID, FERRULE_KEY_VERSION};
  ferrule_member member;
  if (key <= 3) {
    if (!ferrule_find(device->members, text_keys[key - 1], &member) || ferrule_flash_byte(member.at) == 0) return false;
  } else if (key == 15) {
    if ((device->flags & FERRULE_HAS_ARMING) == 0) return false;
  } else {
    const uint32_t number = hello_number(device, key);
    if (key == 10 || key > 11 || (key == 7 && number == LEAST_FRAME) || (key == 8 && number == 1) ||
        (key == 9 && number == DEFAULT_PERIOD_MS) || (key == 11 && number == FERRULE_ANSWER_BYTES)) {
      return false;
    }
  }
  if (!writes) return true;
  ferrule_put(device, key);
  if (key <= 3) ferrule_put_text(device, (const char *)member.at, true);
  else if (key == 15) ferrule_put(device, ferrule_is_armed(device) ? 0xF5 : 0xF4);
  else ferrule_put_head(device, FERRULE_ITEM_POSITIVE, hello_number(device, key));
  return true;
}

static void say_hello(ferrule_device *device, uint16_t session) {
  uint8_t count = 0;
  for (uint8_t key = 1; key <= 15; key++) count = (uint8_t)(count + put_hello_member(device, key, false));
  ferrule_open(device, 4, FERRULE_KIND_DEVICE_HELLO, session, VERSION);
  ferrule_put_head(device, FERRULE_ITEM_MAP, count);
  for (uint8_t key = 1; key <= 15; key++) (void)put_hello_member(device, key, true);
  ferrule_close(device);
}

static void log_text(ferrule_device *device, uint8_t severity, const char *text, bool in_flash) {
  ferrule_open(device, 4, FERRULE_KIND_LOG, device->session, severity);
  ferrule_put_text(device, text, in_flash);
  ferrule_close(device);
}

void ferrule_log(ferrule_device *device, uint8_t severity, const char *text) {
  log_text(device, severity, text, false);
}

void ferrule_log_flash(ferrule_device *device, uint8_t severity, const char *text) {
  log_text(device, severity, text, true);
}

bool ferrule_is_connected(const ferrule_device *device) { return (device->flags & FERRULE_FAIL_SAFE_RUNS) != 0; }

bool ferrule_is_armed(const ferrule_device *device) { return (device->flags & FERRULE_ARMED) != 0; }

/* ---- What it is told ---- */

static void feed(ferrule_device *device) {
  device->fed_at = now(device);
  device->flags |= FERRULE_FAIL_SAFE_RUNS;
}

static void take_hello(ferrule_device *device, uint16_t session, bool is_spoken, ferrule_cursor *rest, uint32_t members) {
  if (is_spoken && (session != device->session || (device->flags & FERRULE_SESSION_USED) != 0)) {
    device->session = session;
    device->flags &= (uint8_t)~FERRULE_SESSION_USED;
    device->updates = 0;
    device->period = device->fail_safe_ms;
    device->host_limit = MOST_FRAME;
    ferrule_forget_asks(device);
    ferrule_forget_calls(device);
    for (; members > 0; members--) {
      ferrule_item key;
      ferrule_item item;
      ferrule_item_read(rest, &key);
      ferrule_cursor value = *rest;
      (void)ferrule_item_skip(rest);
      ferrule_item_read(&value, &item);
      if (key.type != FERRULE_ITEM_POSITIVE || item.type != FERRULE_ITEM_POSITIVE || item.is_wide) continue;
      if (key.argument == 1 && item.argument >= LEAST_FRAME && item.argument < MOST_FRAME) {
        device->host_limit = (uint16_t)item.argument;
      } else if (key.argument == 2 && item.argument > 0 && item.argument < device->period) {
        device->period = item.argument < LEAST_PERIOD_MS ? LEAST_PERIOD_MS : item.argument;
        if (device->period > device->fail_safe_ms) device->period = device->fail_safe_ms;
      }
    }
  }
  if (session == device->session) feed(device);
  say_hello(device, session);
}

static void answer_flag(ferrule_device *device, int8_t id, bool value) {
  ferrule_open(device, 4, FERRULE_KIND_RESULT, device->session, id);
  ferrule_put(device, value ? 0xF5 : 0xF4);
  ferrule_close(device);
}

static void take_stop(ferrule_device *device, uint16_t session, int8_t id) {
  if (session == device->session && session != 0) feed(device);
  device->flags &= (uint8_t)~FERRULE_ARMED;
  ferrule_stop(device, false);
  device->flags |= FERRULE_STOP_WAITS;
  device->stop_session = session;
  device->stop_id = id;
  ferrule_answer_stop(device);
  if ((device->flags & FERRULE_STOP_WAITS) == 0) return;
  ferrule_open(device, 3, FERRULE_KIND_PROGRESS, session, id);
  ferrule_close(device);
}

static void take_arm(ferrule_device *device, int8_t id, bool armed) {
  if ((device->flags & FERRULE_HAS_ARMING) == 0) {
    ferrule_send_error(device, device->session, id, FERRULE_CODE_UNSUPPORTED);
    return;
  }
  device->flags = (uint8_t)((device->flags & ~FERRULE_ARMED) | (armed ? FERRULE_ARMED : 0));
  if (!armed) ferrule_stop(device, true);
  answer_flag(device, id, armed);
}

static void describe(ferrule_device *device, int8_t id, uint32_t number) {
  device->sink = FERRULE_TO_COUNT;
  device->sum = 0;
  const bool exists = ferrule_put_record(device, number);
  device->sink = FERRULE_TO_LINE;
  if (!exists) {
    ferrule_send_error(device, device->session, id, FERRULE_CODE_UNKNOWN);
  } else if (device->sum > (uint32_t)device->host_limit - 12) {
    ferrule_send_error(device, device->session, id, FERRULE_TOO_LARGE);
  } else {
    ferrule_open(device, 4, FERRULE_KIND_RESULT, device->session, id);
    (void)ferrule_put_record(device, number);
    ferrule_close(device);
  }
}

/* Reads how a sensor is to be watched. False when it is malformed; `sensor` may be NULL, when there is none. */
static bool read_watch(ferrule_cursor *rest, uint8_t left, ferrule_sensor *sensor) {
  uint32_t interval = DEFAULT_INTERVAL_MS;
  int32_t band = 0;
  uint8_t decimals = 0;
  if (sensor != NULL) {
    ferrule_member member;
    decimals = ferrule_decimals_of(sensor->members);
    interval = ferrule_ms_of(sensor->members, FERRULE_KEY_INTERVAL, interval);
    if (ferrule_find(sensor->members, FERRULE_KEY_DEAD_BAND, &member)) {
      band = member.number;
      if (!ferrule_rescaled(&band, member.form & FERRULE_FORM_DECIMALS, decimals)) band = INT32_MAX;
    }
  }
  for (uint8_t at = 0; at < 2 && left > 0; at++, left--) {
    ferrule_item item;
    ferrule_item_read(rest, &item);
    if (item.type == FERRULE_ITEM_NULL) continue;
    int32_t number = INT32_MAX;
    if (item.type == FERRULE_ITEM_SINGLE ? (item.argument & 0x80000000) != 0 : item.type != FERRULE_ITEM_POSITIVE) {
      return false;
    }
    /* What is too large for 32 bits is never reached. */
    (void)ferrule_number_of(&item, at == 0 ? 0 : decimals, FERRULE_DOWN, &number, NULL);
    if (at == 0) interval = (uint32_t)number;
    else band = number;
  }
  if (sensor != NULL) {
    sensor->interval = interval;
    sensor->dead_band = band;
  }
  return true;
}

static void serve(ferrule_device *device, int32_t kind, int16_t id, int32_t fourth, ferrule_cursor *rest) {
  ferrule_sensor *sensor = NULL;
  const int8_t ask = (int8_t)id;
  if (kind == FERRULE_KIND_READ || kind == FERRULE_KIND_WATCH || kind == FERRULE_KIND_UNWATCH) {
    sensor = ferrule_sensor_at(device, fourth);
    if (sensor == NULL && kind != FERRULE_KIND_UNWATCH) {
      ferrule_send_error(device, device->session, id, FERRULE_CODE_UNKNOWN);
      return;
    }
  }
  switch (kind) {
    case FERRULE_KIND_PING:
      ferrule_open(device, 4, FERRULE_KIND_RESULT, device->session, id);
      ferrule_put_number(device, device->updates, 0);
      ferrule_close(device);
      break;
    case FERRULE_KIND_DESCRIBE: describe(device, ask, (uint32_t)fourth); break;
    case FERRULE_KIND_READ: ferrule_ask(device, sensor, ask); break;
    case FERRULE_KIND_CALL: ferrule_take_call(device, (uint8_t)id, fourth, rest); break;
    case FERRULE_KIND_CANCEL: ferrule_cancel(device, (uint8_t)id); break;
    case FERRULE_KIND_WATCH: ferrule_watch(device, sensor, ask); break;
    case FERRULE_KIND_UNWATCH:
      if (sensor != NULL) sensor->state &= (uint8_t) ~(FERRULE_WATCHED | FERRULE_WATCH_BEGINS);
      ferrule_open(device, 3, FERRULE_KIND_RESULT, device->session, id);
      ferrule_close(device);
      break;
    case FERRULE_KIND_ARM: take_arm(device, ask, fourth != 0); break;
    default: ferrule_send_error(device, device->session, id, FERRULE_CODE_UNSUPPORTED);
  }
}

/* Takes a message. What it does not understand to its end it does not act on. */
static void take(ferrule_device *device, const uint8_t *message, int16_t length) {
  ferrule_cursor rest = {message, message + length};
  ferrule_cursor whole = rest;
  if (!ferrule_item_skip(&whole) || whole.at != whole.end) return;
  ferrule_item item;
  int32_t kind;
  int32_t session;
  int32_t id;
  ferrule_item_read(&rest, &item);
  if (item.type != FERRULE_ITEM_ARRAY || item.argument < 3) return;
  uint8_t left = item.argument > 255 ? 252 : (uint8_t)(item.argument - 3);
  ferrule_item_read(&rest, &item);
  if (!ferrule_integer_of(&item, &kind)) return;
  ferrule_item_read(&rest, &item);
  if (!ferrule_integer_of(&item, &session) || session < 0 || session > 0xFFFF) return;
  ferrule_item_read(&rest, &item);
  if (!ferrule_integer_of(&item, &id)) return;
  if (kind == FERRULE_KIND_HELLO) {
    if (left == 0 || session == 0 || id < 0) return;
    ferrule_item_read(&rest, &item);
    if (item.type == FERRULE_ITEM_MAP) take_hello(device, (uint16_t)session, id == VERSION, &rest, item.argument);
    return;
  }
  const bool is_call = kind == FERRULE_KIND_CALL || kind == FERRULE_KIND_CANCEL;
  const bool is_ask = kind > FERRULE_KIND_HELLO && kind <= FERRULE_KIND_ARM && !is_call;
  if (id < (is_call ? 0 : -24) || id > (is_ask ? -1 : 255)) return;
  /* Kinds that only a device sends. */
  if (kind >= FERRULE_KIND_RESULT && kind <= FERRULE_KIND_LOG) return;
  int32_t fourth = 0;
  if ((is_ask || kind == FERRULE_KIND_CALL) && kind != FERRULE_KIND_PING && kind != FERRULE_KIND_STOP) {
    if (left-- == 0) return;
    ferrule_item_read(&rest, &item);
    if (kind == FERRULE_KIND_ARM) {
      if (item.type != FERRULE_ITEM_TRUE && item.type != FERRULE_ITEM_FALSE) return;
      fourth = item.type == FERRULE_ITEM_TRUE;
    } else {
      if (item.type != FERRULE_ITEM_POSITIVE) return;
      if (!ferrule_integer_of(&item, &fourth)) fourth = INT32_MAX;
    }
  }
  const bool is_ours = session == device->session && session != 0;
  if (kind == FERRULE_KIND_WATCH) {
    if (!read_watch(&rest, left, is_ours ? ferrule_sensor_at(device, fourth) : NULL)) return;
  } else if (kind == FERRULE_KIND_CALL) {
    ferrule_cursor args = rest;
    if (left == 0) return;
    ferrule_item_read(&args, &item);
    if (item.type != FERRULE_ITEM_ARRAY) return;
  } else if (kind == FERRULE_KIND_STOP) {
    take_stop(device, (uint16_t)session, (int8_t)id);
    if (is_ours) device->flags |= FERRULE_SESSION_USED;
    return;
  }
  if (!is_ours) {
    ferrule_send_error(device, (uint16_t)session, (int16_t)id, FERRULE_CODE_NO_SESSION);
    return;
  }
  device->flags |= FERRULE_SESSION_USED;
  feed(device);
  serve(device, kind, (int16_t)id, fourth, &rest);
}

/* ---- Its life ---- */

void ferrule_begin(ferrule_device *device, const ferrule_platform *platform, void *context) {
  device->platform = platform;
  device->context = context;
  device->boot = platform->boot(context);
  device->period = device->fail_safe_ms;
  device->host_limit = MOST_FRAME;
  ferrule_hash_records(device);
  ferrule_set_initial(device);
  /* Ends whatever the boot loader printed, or the frame that the restart cut. */
  platform->write(context, '\n');
  say_hello(device, 0);
}

void ferrule_poll(ferrule_device *device) {
  for (uint8_t left = BYTES_A_POLL; left > 0; left--) {
    const int byte = device->platform->read(device->context);
    if (byte < 0) break;
    const int16_t length = ferrule_frame_take(&device->frame, (uint8_t)byte);
    if (length > 0) take(device, device->frame.buffer, length);
  }
  if (ferrule_is_connected(device) && now(device) - device->fed_at >= device->period) {
    device->flags &= (uint8_t) ~(FERRULE_FAIL_SAFE_RUNS | FERRULE_ARMED);
    ferrule_stop(device, false);
  }
  ferrule_poll_actuators(device);
  ferrule_answer_stop(device);
  ferrule_poll_sensors(device);
}
