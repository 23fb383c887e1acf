/* Readings and watches: none outlives its session. */
#include "internal.h"
#include "number.h"

/* A sensor that gives its value at once is looked at so often while it is watched. */
#define LOOK_EVERY_MS 10
#define LONGEST_READING_MS 10000

static uint32_t now(const ferrule_device *device) { return device->platform->millis(device->context); }

/* Whoever asked has a bit in `asked`: -1 the lowest, -24 the highest. */
static uint32_t bit_of(int8_t id) { return (uint32_t)1 << (-1 - id); }

ferrule_sensor *ferrule_sensor_at(ferrule_device *device, int32_t number) {
  ferrule_sensor *sensor = device->sensors;
  while (sensor != NULL && number-- > 0) sensor = sensor->next;
  return sensor;
}

/* What is kept of a value to see whether the next one differs: a number as it is, of a text its hash. */
static int32_t kept(ferrule_device *device, const ferrule_outcome *outcome) {
  if ((outcome->form & FERRULE_OUTCOME_KIND) < FERRULE_OUTCOME_TEXT) return outcome->number;
  device->sink = FERRULE_TO_HASH;
  device->sum = 0x811C9DC5;
  ferrule_put_bytes(device, FERRULE_ITEM_BYTES, outcome->text, outcome->length,
                    (outcome->form & FERRULE_OUTCOME_FLASH) != 0);
  device->sink = FERRULE_TO_LINE;
  return (int32_t)device->sum;
}

static void tell_watcher(ferrule_device *device, ferrule_sensor *sensor, ferrule_outcome *outcome) {
  const bool is_null = outcome->status != FERRULE_DONE || (outcome->form & FERRULE_OUTCOME_KIND) == FERRULE_OUTCOME_NULL;
  const bool begins = (sensor->state & FERRULE_WATCH_BEGINS) != 0;
  const bool was_null = (sensor->state & FERRULE_TOLD_NULL) != 0;
  if (!begins && ((sensor->state & FERRULE_WATCHED) == 0 || now(device) - sensor->told_at < sensor->interval)) return;
  const int32_t value = is_null ? 0 : kept(device, outcome);
  if (!begins) {
    const uint32_t change = value > sensor->told ? (uint32_t)value - (uint32_t)sensor->told
                                                 : (uint32_t)sensor->told - (uint32_t)value;
    if (is_null ? was_null : !was_null && change <= (uint32_t)sensor->dead_band) return;
  }
  sensor->state = (uint8_t)((sensor->state & ~(FERRULE_WATCH_BEGINS | FERRULE_TOLD_NULL)) | FERRULE_WATCHED |
                            (is_null ? FERRULE_TOLD_NULL : 0));
  sensor->told = value;
  sensor->told_at = now(device);
  if (begins) return;
  uint8_t number = 0;
  for (const ferrule_sensor *other = device->sensors; other != sensor; other = other->next) number++;
  device->updates++;
  if (is_null) outcome->form = FERRULE_OUTCOME_NULL;
  ferrule_send_outcome(device, FERRULE_KIND_UPDATE, number, outcome);
}

static void look(ferrule_device *device, ferrule_sensor *sensor) {
  ferrule_reading reading = {device, sensor, (sensor->state & FERRULE_READS) == 0, {0, 0, 0, 0, NULL}};
  if (reading.is_first) {
    sensor->state |= FERRULE_READS;
    sensor->began_at = now(device);
  }
  reading.outcome.form = FERRULE_OUTCOME_NULL;
  reading.outcome.status = sensor->read(&reading);
  const bool goes_on = reading.outcome.status == FERRULE_LATER;
  bool says_later = false;
  if (goes_on) {
    const uint32_t passed = now(device) - sensor->began_at;
    if (passed < ferrule_ms_of(sensor->members, FERRULE_KEY_TIME, LONGEST_READING_MS)) {
      says_later = passed >= FERRULE_WORKING_AFTER_MS && (sensor->state & FERRULE_SAID_LATER) == 0;
      if (!says_later) return;
      sensor->state |= FERRULE_SAID_LATER;
    } else {
      reading.outcome.form = FERRULE_OUTCOME_NULL;
      reading.outcome.status = FERRULE_TIMED_OUT;
    }
  }
  for (int8_t id = -1; id >= -24; id--) {
    if ((sensor->asked & bit_of(id)) == 0) continue;
    if (says_later) ferrule_send_progress(device, id);
    else ferrule_send_outcome(device, FERRULE_KIND_RESULT, id, &reading.outcome);
  }
  if (says_later) return;
  sensor->asked = 0;
  sensor->state &= (uint8_t) ~(FERRULE_READS | FERRULE_SAID_LATER);
  tell_watcher(device, sensor, &reading.outcome);
}

void ferrule_ask(ferrule_device *device, ferrule_sensor *sensor, int8_t id) {
  const bool is_copy = (sensor->asked & bit_of(id)) != 0;
  sensor->asked |= bit_of(id);
  if (is_copy || (sensor->state & FERRULE_SAID_LATER) != 0) ferrule_send_progress(device, id);
  if ((sensor->state & FERRULE_READS) == 0) look(device, sensor);
}

void ferrule_watch(ferrule_device *device, ferrule_sensor *sensor, int8_t id) {
  sensor->state = (uint8_t)((sensor->state & ~FERRULE_WATCHED) | FERRULE_WATCH_BEGINS);
  ferrule_ask(device, sensor, id);
}

void ferrule_poll_sensors(ferrule_device *device) {
  for (ferrule_sensor *sensor = device->sensors; sensor != NULL; sensor = sensor->next) {
    if ((sensor->state & FERRULE_READS) == 0) {
      const uint32_t time = now(device);
      const uint32_t since = time - sensor->began_at;
      if ((sensor->state & FERRULE_WATCHED) == 0 || time - sensor->told_at < sensor->interval ||
          since < LOOK_EVERY_MS || since < ferrule_ms_of(sensor->members, FERRULE_KEY_TTL, 0)) {
        continue;
      }
    }
    look(device, sensor);
  }
}

void ferrule_forget_asks(ferrule_device *device) {
  for (ferrule_sensor *sensor = device->sensors; sensor != NULL; sensor = sensor->next) {
    sensor->asked = 0;
    /* A reading that goes on is looked after to its end: the next one may need that. */
    sensor->state &= FERRULE_READS;
  }
}

ferrule_status ferrule_number(ferrule_reading *reading, int32_t number) {
  reading->outcome.form = ferrule_decimals_of(reading->sensor->members);
  reading->outcome.number = number;
  return FERRULE_DONE;
}

ferrule_status ferrule_boolean(ferrule_reading *reading, bool value) {
  reading->outcome.form = FERRULE_OUTCOME_BOOLEAN;
  reading->outcome.number = value;
  return FERRULE_DONE;
}

ferrule_status ferrule_bytes(ferrule_reading *reading, const void *bytes, uint16_t length) {
  reading->outcome.form = FERRULE_OUTCOME_BYTES;
  reading->outcome.text = (const char *)bytes;
  reading->outcome.length = length;
  return FERRULE_DONE;
}

ferrule_status ferrule_text(ferrule_reading *reading, const char *text) {
  (void)ferrule_bytes(reading, text, (uint16_t)strlen(text));
  reading->outcome.form = FERRULE_OUTCOME_TEXT;
  return FERRULE_DONE;
}

ferrule_status ferrule_mapped(ferrule_reading *reading, int32_t raw, int32_t low, int32_t high) {
  const ferrule_member *members = reading->sensor->members;
  const uint8_t decimals = ferrule_decimals_of(members);
  int32_t ends[2] = {0, 0};
  for (uint8_t end = 0; end < 2; end++) {
    ferrule_member member;
    if (!ferrule_find(members, (uint8_t)(FERRULE_KEY_MINIMUM + end), &member)) return FERRULE_FAILED;
    ends[end] = member.number;
    (void)ferrule_rescaled(&ends[end], member.form & FERRULE_FORM_DECIMALS, decimals);
  }
  if (high < low) {
    raw = low - raw;
    high = low - high;
  } else {
    raw -= low;
    high -= low;
  }
  if (raw < 0) raw = 0;
  if (raw > high) raw = high;
  /* Half of the divisor more rounds to the nearest. */
  if (high == 0) return FERRULE_FAILED;
  return ferrule_number(reading, ends[0] + (raw * (ends[1] - ends[0]) + high / 2) / high);
}

ferrule_status ferrule_fail(ferrule_reading *reading, const char *text) {
  reading->outcome.form = FERRULE_OUTCOME_TEXT | FERRULE_OUTCOME_FLASH;
  reading->outcome.text = text;
  reading->outcome.length = (uint16_t)ferrule_flash_length(text);
  return FERRULE_FAILED;
}
