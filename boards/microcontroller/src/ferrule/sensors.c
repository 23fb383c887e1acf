/* Readings and watches: none outlives its session. */
#include "internal.h"

/* A sensor that gives its value at once is looked at so often while it is watched. */
#define LOOK_EVERY_MS 10
#define LONGEST_READING_MS 10000

/* Tells the watcher of a value that differs, or only keeps the one with which a watch begins. */
static void tell_watcher(ferrule_device *device, ferrule_sensor *sensor, ferrule_outcome *outcome, uint8_t number) {
  uint8_t state = sensor->state;
  uint8_t null = 0;
  if (outcome->status != FERRULE_DONE) {
    outcome->put = NULL;
    null = FERRULE_TOLD_NULL;
  }
  if ((state & FERRULE_WATCH_BEGINS) == 0) {
    if ((state & FERRULE_WATCHED) == 0 || !ferrule_is_past(device, &sensor->told_at, sensor->interval)) return;
    if ((state & FERRULE_TOLD_NULL) == null) {
      uint32_t change = (uint32_t)outcome->number - (uint32_t)sensor->told;
      if (outcome->number < sensor->told) change = 0 - change;
      if (null != 0 || change <= (uint32_t)sensor->dead_band) return;
    }
    device->updates++;
    ferrule_send_outcome(device, FERRULE_KIND_UPDATE, number, outcome);
    state &= (uint8_t)~FERRULE_TOLD_NULL;
  }
  sensor->state = FERRULE_WATCHED | null;
  sensor->told = outcome->number;
  ferrule_mark(device, &sensor->told_at);
}

FERRULE_CALLED static void look(ferrule_device *device, ferrule_sensor *sensor, uint8_t number) {
  ferrule_reading reading;
  reading.device = device;
  reading.sensor = sensor;
  reading.is_first = (sensor->state & FERRULE_READS) == 0;
  reading.outcome.put = NULL;
  reading.outcome.number = 0;
  if (reading.is_first) {
    sensor->state |= FERRULE_READS;
    ferrule_mark(device, &sensor->began_at);
  }
  reading.outcome.status = sensor->read(&reading);
  if (reading.outcome.status == FERRULE_LATER) return;
  if (sensor->asked != 0) ferrule_send_outcome(device, FERRULE_KIND_RESULT, sensor->asked, &reading.outcome);
  sensor->asked = 0;
  sensor->state &= (uint8_t) ~(FERRULE_READS | FERRULE_SAID_LATER);
  tell_watcher(device, sensor, &reading.outcome, number);
}

void ferrule_ask(ferrule_device *device, ferrule_sensor *sensor, int8_t id) {
  /* The poll that brought the question looks after it as well. Only one waits: who comes meanwhile will ask again. */
  if (sensor->asked == 0 && (sensor->state & FERRULE_SAID_LATER) == 0) sensor->asked = id;
  else ferrule_send_short(device, FERRULE_KIND_PROGRESS, id);
}

void ferrule_poll_sensors(ferrule_device *device) {
  uint8_t number = 0;
  for (ferrule_part *part = device->sensors; part != NULL; part = part->next, number++) {
    ferrule_sensor *sensor = (ferrule_sensor *)part;
    if ((sensor->state & FERRULE_READS) != 0 || sensor->asked != 0 ||
        ((sensor->state & FERRULE_WATCHED) != 0 && ferrule_is_past(device, &sensor->told_at, sensor->interval) &&
         ferrule_is_past(device, &sensor->began_at, ferrule_ms_of(sensor->part.members, FERRULE_KEY_TTL, LOOK_EVERY_MS)))) {
      look(device, sensor, number);
    }
  }
}

void ferrule_forget_asks(ferrule_device *device) {
  for (ferrule_part *part = device->sensors; part != NULL; part = part->next) {
    ferrule_sensor *sensor = (ferrule_sensor *)part;
    sensor->asked = 0;
    /* A reading that goes on is looked after to its end: the next one may need that. */
    sensor->state &= FERRULE_READS;
  }
}

static void put_number(ferrule_device *device, const ferrule_outcome *outcome) {
  /* The sensor's members stand where a text would. */
  const uint8_t decimals = ferrule_find_type((const ferrule_member *)(const void *)outcome->text);
  ferrule_put_typed(device, outcome->number, decimals);
}

ferrule_status ferrule_number(ferrule_reading *reading, int32_t number) {
  reading->outcome.put = put_number;
  reading->outcome.text = (const char *)reading->sensor->part.members;
  reading->outcome.number = number;
  return FERRULE_DONE;
}

ferrule_status ferrule_boolean(ferrule_reading *reading, bool value) { return ferrule_number(reading, value); }

static void put_bytes(ferrule_device *device, const ferrule_outcome *outcome) {
  ferrule_put_string(device, FERRULE_ITEM_BYTES, outcome->text, outcome->length, false);
}

static void put_text(ferrule_device *device, const ferrule_outcome *outcome) {
  ferrule_put_string(device, FERRULE_ITEM_TEXT, outcome->text, outcome->length, false);
}

ferrule_status ferrule_bytes(ferrule_reading *reading, const void *bytes, uint16_t length) {
  const uint8_t *at = bytes;
  /* Kind, session, id, the head and the check: 14 bytes at most. */
  if (length > FERRULE_MOST_FRAME - 14) return FERRULE_TOO_LARGE;
  /* A watch keeps a hash of it, to see whether the next one differs. */
  uint32_t hash = length;
  for (uint16_t left = length; left > 0; left--) ferrule_hash(&hash, *at++);
  reading->outcome.number = (int32_t)hash;
  reading->outcome.put = put_bytes;
  reading->outcome.text = (const char *)bytes;
  reading->outcome.length = length;
  return FERRULE_DONE;
}

ferrule_status ferrule_text(ferrule_reading *reading, const char *text) {
  const size_t length = strlen(text);
  const ferrule_status status = ferrule_bytes(reading, text, length > 0xFFFF ? 0xFFFF : (uint16_t)length);
  if (status == FERRULE_DONE) reading->outcome.put = put_text;
  return status;
}

ferrule_status ferrule_mapped(ferrule_reading *reading, int16_t raw, int16_t low, int16_t high) {
  const ferrule_member *members = reading->sensor->part.members;
  if (high < low) {
    raw = (int16_t)-raw;
    low = (int16_t)-low;
    high = (int16_t)-high;
  }
  if (raw < low) raw = low;
  if (raw > high) raw = high;
  const uint16_t all = (uint16_t)(high - low);
  if (all == 0 || !ferrule_find(members, FERRULE_KEY_MINIMUM)) return FERRULE_FAILED;
  const int32_t least = ferrule_found.number;
  (void)ferrule_find(members, FERRULE_KEY_MAXIMUM);
  /* Half of the divisor more rounds to the nearest. */
  return ferrule_number(reading, least + ((ferrule_found.number - least) * (uint16_t)(raw - low) + all / 2) / all);
}

ferrule_status ferrule_not_yet(ferrule_reading *reading) {
  ferrule_sensor *sensor = reading->sensor;
  const uint32_t passed = ferrule_since(reading->device, &sensor->began_at);
  if (passed >= ferrule_ms_of(sensor->part.members, FERRULE_KEY_TIME, LONGEST_READING_MS)) return FERRULE_TIMED_OUT;
  if (passed >= FERRULE_WORKING_AFTER_MS && (sensor->state & FERRULE_SAID_LATER) == 0) {
    sensor->state |= FERRULE_SAID_LATER;
    if (sensor->asked != 0) ferrule_send_short(reading->device, FERRULE_KIND_PROGRESS, sensor->asked);
  }
  return FERRULE_LATER;
}

ferrule_status ferrule_fail(ferrule_reading *reading, const char *text) {
  reading->outcome.put = ferrule_put_text_outcome;
  reading->outcome.text = text;
  return FERRULE_FAILED;
}
