/* Calls: each id runs once, one at a time on each actuator, and none outlives its session. */
#include "internal.h"
#include "number.h"

#define LONGEST_MOVE_MS 60000
#define PROGRESS_EVERY_MS 250

/* ---- Moves ---- */

static uint8_t bytes_of(const ferrule_actuator *actuator) { return (uint8_t)(actuator->count * sizeof(int32_t)); }

static bool is_safe(const ferrule_actuator *actuator, const int32_t *values) {
  return memcmp(values, actuator->values + actuator->count, bytes_of(actuator)) == 0;
}

FERRULE_CALLED static void answer(ferrule_device *device, ferrule_slot *slot) {
  ferrule_send_outcome(device, FERRULE_KIND_RESULT, slot->id, &slot->outcome);
}

FERRULE_CALLED static void end(ferrule_device *device, ferrule_slot *slot, ferrule_status status) {
  slot->outcome.status = status;
  slot->state = FERRULE_SLOT_OVER;
  answer(device, slot);
}

/* Calls the set function. Returns what it says. */
static ferrule_status step(ferrule_device *device, ferrule_actuator *actuator, const uint8_t *args, bool is_first) {
  static ferrule_outcome nobodys;
  ferrule_slot *slot = actuator->slot;
  ferrule_call call;
  call.device = device;
  call.actuator = actuator;
  call.is_first = is_first;
  call.reason = actuator->reason;
  call.args = args;
  call.outcome = slot != NULL ? &slot->outcome : &nobodys;
  call.outcome->put = NULL;
  const ferrule_status status = actuator->set(&call);
  if (status == FERRULE_LATER) return status;
  if (status == FERRULE_TIMED_OUT && actuator->reason == FERRULE_DONE) {
    (void)ferrule_break_off(device, actuator, FERRULE_TIMED_OUT);
    return status;
  }
  actuator->state &= (uint8_t)~FERRULE_MOVES;
  actuator->slot = NULL;
  if (slot != NULL) end(device, slot, status);
  return status;
}

/* The actuator has its new values: moves it to them. */
static ferrule_status begin(ferrule_device *device, ferrule_actuator *actuator, ferrule_status reason,
                            const uint8_t *args) {
  uint8_t state = actuator->state | FERRULE_MOVES;
  ferrule_mark(device, &actuator->began_at);
  if ((state & FERRULE_HAS_SAFE) != 0) {
    if (is_safe(actuator, actuator->values)) {
      state &= (uint8_t)~FERRULE_IS_AWAY;
    } else if ((state & FERRULE_IS_AWAY) == 0) {
      state |= FERRULE_IS_AWAY;
      actuator->away_at = actuator->began_at;
    }
  }
  actuator->state = state;
  actuator->reason = reason;
  return step(device, actuator, args, true);
}

static void count_move(ferrule_device *device, ferrule_actuator *actuator) {
  ferrule_mark(device, &actuator->moved_at);
  actuator->state |= FERRULE_HAS_MOVED;
}

bool ferrule_break_off(ferrule_device *device, ferrule_actuator *actuator, ferrule_status reason) {
  ferrule_slot *slot = actuator->slot;
  const uint8_t state = actuator->state;
  /* A move that makes it safe goes on as it is. */
  if ((state & FERRULE_MOVES) != 0 && actuator->reason != FERRULE_DONE) return false;
  if ((state & (FERRULE_MOVES | FERRULE_IS_AWAY)) != 0) count_move(device, actuator);
  else if ((state & FERRULE_HAS_SAFE) == 0) return true;
  if ((state & FERRULE_HAS_SAFE) != 0) {
    memcpy(actuator->values, actuator->values + actuator->count, bytes_of(actuator));
  }
  actuator->slot = NULL;
  const ferrule_status status = begin(device, actuator, reason, NULL);
  if (slot != NULL) {
    slot->outcome.put = NULL;
    end(device, slot, status == FERRULE_DONE || status == FERRULE_LATER ? reason : FERRULE_FAILED);
  }
  return status == FERRULE_DONE;
}

void ferrule_make_safe(ferrule_device *device, ferrule_actuator *actuator) {
  (void)ferrule_break_off(device, actuator, FERRULE_STOPPED);
}

void ferrule_load_values(ferrule_actuator *actuator, uint8_t key) {
  for (uint8_t at = 0; at < actuator->count; at++) {
    actuator->values[at] = ferrule_number_of(actuator->part.members, key, at);
  }
}

/* Whether what was found last is enforced by a rule. */
static bool has_rule(void) { return ferrule_found.at != NULL && (ferrule_found.form & FERRULE_FORM_TEXT) == 0; }

void ferrule_set_initial(ferrule_device *device) {
  for (ferrule_part *part = device->actuators; part != NULL; part = part->next) {
    ferrule_actuator *actuator = (ferrule_actuator *)part;
    while (ferrule_argument_members(actuator, actuator->count) != NULL) actuator->count++;
    if (ferrule_find(part->members, FERRULE_KEY_SAFE) &&
        (ferrule_found.form & (FERRULE_FORM_ARRAY | FERRULE_FORM_NULL)) != FERRULE_FORM_NULL) {
      actuator->state = FERRULE_HAS_SAFE | FERRULE_STARTS;
    }
    ferrule_load_values(actuator, FERRULE_KEY_SAFE);
    memcpy(actuator->values + actuator->count, actuator->values, bytes_of(actuator));
    for (const ferrule_member *at = part->members; ferrule_load(at); at++) {
      if (!has_rule()) continue;
      const ferrule_actuator_rule *rule = (const ferrule_actuator_rule *)ferrule_found.at;
      ferrule_start *start = ferrule_flash_function(ferrule_start, &rule->start);
      if (start != NULL) start(device, actuator);
    }
    if ((actuator->state & FERRULE_STARTS) != 0) (void)begin(device, actuator, FERRULE_LATER, NULL);
  }
}

/* ---- Calls ---- */

/* Whether the host names a call as one that it waits for. */
static bool is_open(const uint8_t *open, uint8_t id) {
  ferrule_in.at = open;
  if (ferrule_next() != FERRULE_ITEM_ARRAY) return false;
  for (uint8_t left = (uint8_t)ferrule_in.argument; left > 0; left--) {
    if (ferrule_next() == FERRULE_ITEM_POSITIVE && ferrule_in.argument == id) return true;
  }
  return false;
}

ferrule_slot *ferrule_only_place(ferrule_device *device, const uint8_t *open) {
  (void)open;
  /* With one call at a time, the host has no other one open. */
  return device->slots->state == FERRULE_SLOT_RUNS ? NULL : device->slots;
}

ferrule_slot *ferrule_any_place(ferrule_device *device, const uint8_t *open) {
  ferrule_slot *slot = device->slots;
  for (uint8_t left = device->slot_count; left > 0; left--, slot++) {
    if (slot->state == FERRULE_SLOT_FREE) return slot;
    /* A cancel names none as open: then none may be forgotten. */
    if (slot->state == FERRULE_SLOT_OVER && open != NULL && !is_open(open, slot->id)) return slot;
  }
  return NULL;
}

/* A place for a call that is new; `open` is where the host names others. NULL: answered, with `full` without a place. */
static ferrule_slot *new_slot(ferrule_device *device, uint8_t id, const uint8_t *open, int8_t full) {
  const uint8_t ahead = (uint8_t)(id - device->newest - 1);
  if ((device->flags & FERRULE_ID_SEEN) != 0 && ahead >= 127) {
    full = FERRULE_CODE_FORGOTTEN;
  } else {
    device->newest = id;
    device->flags |= FERRULE_ID_SEEN;
    ferrule_slot *slot = device->place(device, open);
    if (slot != NULL) {
      slot->id = id;
      slot->state = FERRULE_SLOT_RUNS;
      slot->told_at = 0;
      slot->outcome.put = NULL;
      return slot;
    }
  }
  ferrule_send_error(device, id, full);
  return NULL;
}

/* Asks the rules of all members that have one. Returns an error code, or 0. */
static uint8_t check(const ferrule_member *members, const void *what) {
  uint8_t code = 0;
  for (; code == 0 && ferrule_load(members); members++) {
    if (has_rule() && (ferrule_found.key & FERRULE_KEY_BITS) != FERRULE_KEY_TYPE &&
        ferrule_found.key != FERRULE_KEY_OPTIONAL) {
      code = ferrule_flash_function(ferrule_check, ferrule_found.at)(what);
    }
  }
  return code;
}

/* Takes and checks the argument that was read last. Returns an error code, or 0. */
static uint8_t take_argument(const ferrule_member *members) {
  const uint8_t decimals = ferrule_find_type(members);
  const uint8_t code = ferrule_flash_function(ferrule_take, ferrule_found.at)(decimals);
  return code != 0 ? code : check(members, members);
}

/* Runs a call whose arguments stand at the reader. Returns the code with which it is refused, or 0. */
static uint8_t run(ferrule_device *device, ferrule_slot *slot, uint8_t number) {
  int32_t values[FERRULE_MOST_ARGUMENTS];
  const uint8_t *const args = ferrule_in.at;
  ferrule_actuator *actuator = ferrule_part_at(device->actuators, number);
  if (actuator == NULL) return FERRULE_CODE_UNKNOWN;
  if ((actuator->state & FERRULE_MOVES) != 0) return FERRULE_CODE_BUSY;
  (void)ferrule_next();
  const uint16_t count = ferrule_argument16();
  if (count > actuator->count) return FERRULE_CODE_BAD_ARGUMENTS;
  for (uint8_t position = 0; position < actuator->count; position++) {
    const ferrule_member *members = ferrule_argument_members(actuator, position);
    if (position < count && ferrule_next() != FERRULE_ITEM_NULL) {
      const uint8_t code = take_argument(members);
      if (code != 0) return code;
    } else {
      if (!ferrule_find(members, FERRULE_KEY_OPTIONAL)) return FERRULE_CODE_BAD_ARGUMENTS;
      (void)ferrule_flash_function(ferrule_check, ferrule_found.at)(members);
    }
    values[position] = ferrule_given.value;
  }
  if ((actuator->state & FERRULE_HAS_SAFE) == 0 || !is_safe(actuator, values)) {
    const ferrule_move move = {device, actuator, values};
    const uint8_t code = check(actuator->part.members, &move);
    if (code != 0) return code;
  }
  memcpy(actuator->values, values, bytes_of(actuator));
  actuator->slot = slot;
  slot->actuator = actuator;
  count_move(device, actuator);
  (void)begin(device, actuator, FERRULE_DONE, args);
  return 0;
}

/* The memory of a call. NULL when there is none. */
static ferrule_slot *find(ferrule_device *device, uint8_t id) {
  ferrule_slot *slot = device->slots;
  for (uint8_t left = device->slot_count; left > 0; left--, slot++) {
    if (slot->state != FERRULE_SLOT_FREE && slot->id == id) return slot;
  }
  return NULL;
}

void ferrule_take_call(ferrule_device *device, int16_t id, uint8_t number) {
  ferrule_slot *slot = find(device, (uint8_t)id);
  if (slot == NULL) {
    const uint8_t *const args = ferrule_in.at;
    (void)ferrule_skip();
    slot = new_slot(device, (uint8_t)id, ferrule_in.at, FERRULE_CODE_BUSY);
    if (slot == NULL) return;
    ferrule_in.at = args;
    const uint8_t code = run(device, slot, number);
    if (code != 0) end(device, slot, (ferrule_status)code);
  } else if (slot->state == FERRULE_SLOT_OVER) {
    answer(device, slot);
  } else {
    ferrule_send_short(device, FERRULE_KIND_PROGRESS, id);
  }
}

void ferrule_cancel(ferrule_device *device, int16_t id, uint8_t unused) {
  ferrule_slot *slot = find(device, (uint8_t)id);
  (void)unused;
  if (slot == NULL) {
    slot = new_slot(device, (uint8_t)id, NULL, FERRULE_CANCELLED);
    if (slot != NULL) end(device, slot, FERRULE_CANCELLED);
    return;
  }
  if (slot->state == FERRULE_SLOT_OVER) {
    answer(device, slot);
    return;
  }
  (void)ferrule_break_off(device, slot->actuator, FERRULE_CANCELLED);
}

void ferrule_stop(ferrule_device *device) {
  for (ferrule_part *part = device->actuators; part != NULL; part = part->next) {
    ferrule_actuator *actuator = (ferrule_actuator *)part;
    ferrule_make_safe(device, actuator);
  }
}

void ferrule_forget_calls(ferrule_device *device) {
  device->flags &= (uint8_t)~FERRULE_ID_SEEN;
  for (ferrule_part *part = device->actuators; part != NULL; part = part->next) {
    ferrule_actuator *actuator = (ferrule_actuator *)part;
    if (actuator->slot == NULL) continue;
    actuator->slot = NULL;
    ferrule_make_safe(device, actuator);
  }
  for (uint8_t at = 0; at < device->slot_count; at++) device->slots[at].state = FERRULE_SLOT_FREE;
}

void ferrule_poll_actuators(ferrule_device *device) {
  for (ferrule_part *part = device->actuators; part != NULL; part = part->next) {
    ferrule_actuator *actuator = (ferrule_actuator *)part;
    if ((actuator->state & FERRULE_MOVES) != 0) (void)step(device, actuator, NULL, false);
  }
  if (device->hold != NULL) device->hold(device);
}

/* ---- For set functions ---- */

int32_t ferrule_argument(const ferrule_actuator *actuator, uint8_t position) { return actuator->values[position]; }

int32_t ferrule_value(const ferrule_call *call, uint8_t position) { return call->actuator->values[position]; }

uint16_t ferrule_copy(const ferrule_call *call, uint8_t position, char *to, uint16_t size) {
  uint16_t length = 0;
  if (call->args != NULL) {
    ferrule_in.at = call->args;
    uint8_t type = ferrule_next();
    if (position >= ferrule_in.argument) type = FERRULE_ITEM_BAD;
    for (; type != FERRULE_ITEM_BAD; position--) {
      type = ferrule_next();
      if (position == 0) break;
    }
    if (type == FERRULE_ITEM_TEXT || type == FERRULE_ITEM_BYTES) length = (uint16_t)ferrule_in.argument;
  }
  if (size > 0) {
    const uint16_t copied = length < size ? length : (uint16_t)(size - 1);
    if (copied > 0) memcpy(to, ferrule_in.bytes, copied);
    to[copied] = 0;
  }
  return length;
}

ferrule_status ferrule_later(ferrule_call *call) {
  ferrule_slot *slot = call->actuator->slot;
  const uint32_t passed = ferrule_since(call->device, &call->actuator->began_at);
  if (passed >= ferrule_ms_of(call->actuator->part.members, FERRULE_KEY_TIME, LONGEST_MOVE_MS)) return FERRULE_TIMED_OUT;
  if (slot != NULL && slot->told_at == 0 && passed >= FERRULE_WORKING_AFTER_MS) {
    slot->told_at = 1;
    ferrule_send_short(call->device, FERRULE_KIND_PROGRESS, slot->id);
  }
  return FERRULE_LATER;
}

void ferrule_progress(ferrule_call *call, int32_t done, int32_t total) {
  ferrule_device *device = call->device;
  ferrule_slot *slot = call->actuator->slot;
  if (slot == NULL) return;
  const uint32_t never = 0;
  /* 0 and 1 say that no progress with a number was sent yet. */
  const uint16_t time = (uint16_t)ferrule_since(device, &never) | 2;
  if (slot->told_at > 1 && (uint16_t)(time - slot->told_at) < PROGRESS_EVERY_MS) return;
  slot->told_at = time;
  ferrule_open(device, total > 0 ? 5 : 4, FERRULE_KIND_PROGRESS, slot->id);
  ferrule_put_integer(device, done, 0);
  if (total > 0) ferrule_put_integer(device, total, 0);
  ferrule_close(device);
}

static void put_integer(ferrule_device *device, const ferrule_outcome *outcome) {
  ferrule_put_integer(device, outcome->number, 0);
}

static void put_decimal(ferrule_device *device, const ferrule_outcome *outcome) {
  ferrule_put_decimal(device, outcome->number, outcome->decimals);
}

ferrule_status ferrule_result(ferrule_call *call, int32_t number) {
  call->outcome->put = put_integer;
  call->outcome->number = number;
  return FERRULE_DONE;
}

ferrule_status ferrule_decimal_result(ferrule_call *call, int32_t number, uint8_t decimals) {
  call->outcome->put = put_decimal;
  call->outcome->number = number;
  call->outcome->decimals = decimals;
  return FERRULE_DONE;
}

ferrule_status ferrule_refuse(ferrule_call *call, ferrule_status status, const char *text) {
  call->outcome->put = ferrule_put_text_outcome;
  call->outcome->text = text;
  return status;
}

bool ferrule_is_away(const ferrule_actuator *actuator) { return (actuator->state & FERRULE_IS_AWAY) != 0; }
