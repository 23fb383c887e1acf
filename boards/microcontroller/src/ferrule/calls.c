/* Calls: each id runs once, one at a time on each actuator, and none outlives its session. */
#include "internal.h"
#include "number.h"

#define MOST_ARGUMENTS 8
#define LONGEST_MOVE_MS 60000
#define PROGRESS_EVERY_MS 250

static uint32_t now(const ferrule_device *device) { return device->platform->millis(device->context); }

/* ---- Values ---- */

static uint8_t count_of(const ferrule_actuator *actuator) {
  uint8_t count = 0;
  while (ferrule_argument_members(actuator, count) != NULL) count++;
  return count;
}

static int32_t number_of(const ferrule_member *member, uint8_t decimals) {
  int32_t number = member->number;
  (void)ferrule_rescaled(&number, member->form & FERRULE_FORM_DECIMALS, decimals);
  return number;
}

/* What an argument is that was left out: its initial value, where it has one. */
static uint8_t default_of(const ferrule_member *members, uint8_t position, int32_t *value) {
  ferrule_member member;
  *value = 0;
  if (!ferrule_find(members, FERRULE_KEY_INITIAL, &member)) return 0;
  *value = number_of(&member, ferrule_decimals_of(members));
  return (uint8_t)(1 << position);
}

/* The safe or the initial values. False where there are none. */
static bool load(const ferrule_actuator *actuator, uint8_t key, int32_t *values, uint8_t *given) {
  ferrule_member member;
  const ferrule_member *at = actuator->members;
  if (!ferrule_find(at, key, &member) || (member.form & (FERRULE_FORM_ARRAY | FERRULE_FORM_NULL)) == FERRULE_FORM_NULL) {
    return false;
  }
  *given = 0;
  const ferrule_member *argument;
  for (uint8_t position = 0; (argument = ferrule_argument_members(actuator, position)) != NULL; position++) {
    do ferrule_from_flash(&member, at, sizeof member);
    while (member.key != FERRULE_KEY_END && (at++, member.key != key));
    if (member.key == FERRULE_KEY_END || (member.form & FERRULE_FORM_NULL) != 0) {
      *given |= default_of(argument, position, &values[position]);
    } else {
      values[position] = number_of(&member, ferrule_decimals_of(argument));
      *given |= (uint8_t)(1 << position);
    }
  }
  return true;
}

static bool is_safe(const ferrule_actuator *actuator, const int32_t *values, uint8_t given) {
  int32_t safe[MOST_ARGUMENTS];
  uint8_t safe_given;
  if (!load(actuator, FERRULE_KEY_SAFE, safe, &safe_given) || given != safe_given) return false;
  return memcmp(safe, values, count_of(actuator) * sizeof *safe) == 0;
}

static bool has_safe(const ferrule_actuator *actuator) {
  ferrule_member member;
  return ferrule_find(actuator->members, FERRULE_KEY_SAFE, &member) &&
         (member.form & (FERRULE_FORM_ARRAY | FERRULE_FORM_NULL)) != FERRULE_FORM_NULL;
}

/* ---- Moves ---- */

static void answer(ferrule_device *device, const ferrule_slot *slot) {
  ferrule_send_outcome(device, FERRULE_KIND_RESULT, slot->id, &slot->outcome);
}

static void end_slot(ferrule_device *device, ferrule_slot *slot) {
  slot->state = FERRULE_SLOT_OVER;
  answer(device, slot);
}

static void step(ferrule_device *device, ferrule_actuator *actuator, const ferrule_item *items) {
  ferrule_slot *slot = actuator->slot;
  ferrule_outcome unasked = {0, FERRULE_OUTCOME_NULL, 0, 0, NULL};
  ferrule_call call = {device, actuator, items != NULL, actuator->reason, items, slot != NULL ? &slot->outcome : &unasked};
  call.outcome->form = FERRULE_OUTCOME_NULL;
  ferrule_status status = actuator->set(&call);
  const uint32_t passed = now(device) - actuator->began_at;
  if (status == FERRULE_LATER) {
    if (passed < ferrule_ms_of(actuator->members, FERRULE_KEY_TIME, LONGEST_MOVE_MS)) {
      if (slot != NULL && slot->told_at == 0 && passed >= FERRULE_WORKING_AFTER_MS) {
        slot->told_at = 1;
        ferrule_send_progress(device, slot->id);
      }
      return;
    }
    if ((actuator->state & FERRULE_MOVES) != 0) {
      ferrule_make_safe(device, actuator);
      return;
    }
    status = FERRULE_FAILED;
  }
  actuator->slot = NULL;
  if ((actuator->state & FERRULE_GETS_SAFE) != 0) {
    if (status != FERRULE_DONE) actuator->state |= FERRULE_NOT_SAFE;
    else {
      status = actuator->reason;
      call.outcome->form = FERRULE_OUTCOME_NULL;
    }
  }
  actuator->state &= (uint8_t) ~(FERRULE_MOVES | FERRULE_GETS_SAFE);
  call.outcome->status = status;
  if (slot != NULL) end_slot(device, slot);
}

static const ferrule_item no_items[1];

static void begin(ferrule_device *device, ferrule_actuator *actuator, uint8_t state, ferrule_status reason,
                  const ferrule_item *items) {
  const bool was_away = (actuator->state & FERRULE_IS_AWAY) != 0;
  const bool is_away = has_safe(actuator) && !is_safe(actuator, actuator->values, actuator->given);
  actuator->state = (uint8_t)(state | (actuator->state & (FERRULE_HAS_MOVED | FERRULE_NOT_SAFE)) |
                              (is_away ? FERRULE_IS_AWAY : 0));
  actuator->began_at = now(device);
  if (is_away && !was_away) actuator->away_at = actuator->began_at;
  actuator->reason = reason;
  step(device, actuator, items);
}

static void count_move(ferrule_device *device, ferrule_actuator *actuator) {
  actuator->moved_at = now(device);
  actuator->state |= FERRULE_HAS_MOVED;
}

static void make_safe(ferrule_device *device, ferrule_actuator *actuator, ferrule_status reason) {
  if ((actuator->state & FERRULE_GETS_SAFE) != 0) return;
  const bool has_values = load(actuator, FERRULE_KEY_SAFE, actuator->values, &actuator->given);
  if ((actuator->state & (FERRULE_MOVES | FERRULE_IS_AWAY)) != 0) count_move(device, actuator);
  else if (!has_values) return;
  begin(device, actuator, FERRULE_GETS_SAFE, reason, no_items);
}

void ferrule_make_safe(ferrule_device *device, ferrule_actuator *actuator) {
  make_safe(device, actuator, FERRULE_STOPPED);
}

void ferrule_set_initial(ferrule_device *device) {
  for (ferrule_actuator *actuator = device->actuators; actuator != NULL; actuator = actuator->next) {
    ferrule_member member;
    if (ferrule_find(actuator->members, FERRULE_KEY_ARMING, &member)) device->flags |= FERRULE_HAS_ARMING;
    if (load(actuator, FERRULE_KEY_INITIAL, actuator->values, &actuator->given) ||
        load(actuator, FERRULE_KEY_SAFE, actuator->values, &actuator->given)) {
      begin(device, actuator, FERRULE_GETS_SAFE, FERRULE_LATER, no_items);
    }
  }
}

/* ---- Calls ---- */

static ferrule_slot *slot_of(ferrule_device *device, uint8_t id) {
  for (uint8_t at = 0; at < device->slot_count; at++) {
    ferrule_slot *slot = &device->slots[at];
    if (slot->state != FERRULE_SLOT_FREE && slot->id == id) return slot;
  }
  return NULL;
}

static bool is_open(ferrule_cursor open, uint8_t id) {
  ferrule_item item;
  ferrule_item_read(&open, &item);
  if (item.type != FERRULE_ITEM_ARRAY) return false;
  for (uint32_t left = item.argument; left > 0; left--) {
    ferrule_cursor before = open;
    int32_t value;
    ferrule_item_read(&open, &item);
    if (ferrule_integer_of(&item, &value) && value == id) return true;
    open = before;
    (void)ferrule_item_skip(&open);
  }
  return false;
}

/* A place for a call that is new; `open` is what the host names, or NULL when nothing may be forgotten. NULL: refused. */
static ferrule_slot *new_slot(ferrule_device *device, uint8_t id, const ferrule_cursor *open) {
  const uint8_t ahead = (uint8_t)(id - device->newest);
  if ((device->flags & FERRULE_ID_SEEN) != 0 && (ahead == 0 || ahead > 127)) {
    ferrule_send_error(device, device->session, id, FERRULE_CODE_FORGOTTEN);
    return NULL;
  }
  device->newest = id;
  device->flags |= FERRULE_ID_SEEN;
  ferrule_slot *found = NULL;
  for (uint8_t at = 0; at < device->slot_count; at++) {
    ferrule_slot *slot = &device->slots[at];
    if (slot->state == FERRULE_SLOT_OVER && open != NULL && !is_open(*open, slot->id)) slot->state = FERRULE_SLOT_FREE;
    if (slot->state == FERRULE_SLOT_FREE && found == NULL) found = slot;
  }
  if (found == NULL) {
    ferrule_send_error(device, device->session, id, FERRULE_CODE_BUSY);
    return NULL;
  }
  const ferrule_outcome nothing = {0, FERRULE_OUTCOME_NULL, 0, 0, NULL};
  found->outcome = nothing;
  found->id = id;
  found->state = FERRULE_SLOT_RUNS;
  found->told_at = 0;
  return found;
}

/* Takes and checks one argument. Returns an error code, or 0. */
static uint8_t take_argument(const ferrule_item *item, const ferrule_member *members, uint8_t position, int32_t *value,
                             uint8_t *given) {
  ferrule_member member;
  if (item->type == FERRULE_ITEM_NULL) {
    if (!ferrule_find(members, FERRULE_KEY_OPTIONAL, &member)) return FERRULE_CODE_BAD_ARGUMENTS;
    *given |= default_of(members, position, value);
    return 0;
  }
  *given |= (uint8_t)(1 << position);
  (void)ferrule_find(members, FERRULE_KEY_TYPE, &member);
  ferrule_type type;
  ferrule_from_flash(&type, member.at, sizeof type);
  uint8_t code = type.take(item, member.form & FERRULE_FORM_DECIMALS, value);
  for (const ferrule_member *at = members; code == 0; at++) {
    ferrule_from_flash(&member, at, sizeof member);
    if (member.key == FERRULE_KEY_END) break;
    if (member.at == NULL || member.key == FERRULE_KEY_TYPE || (member.form & FERRULE_FORM_TEXT) != 0) continue;
    ferrule_argument_rule rule;
    ferrule_from_flash(&rule, member.at, sizeof rule);
    code = rule.check(item, members, &member);
  }
  return code;
}

static uint8_t check_rules(const ferrule_move *move) {
  uint8_t code = 0;
  for (const ferrule_member *at = move->actuator->members; code == 0; at++) {
    ferrule_member member;
    ferrule_from_flash(&member, at, sizeof member);
    if (member.key == FERRULE_KEY_END) break;
    if (member.at == NULL || (member.form & FERRULE_FORM_TEXT) != 0) continue;
    ferrule_actuator_rule rule;
    ferrule_from_flash(&rule, member.at, sizeof rule);
    code = rule.check(move, &member);
  }
  return code;
}

/* Runs a call. Returns the error code with which it is refused, or 0 when it runs or has run. */
static uint8_t run(ferrule_device *device, ferrule_slot *slot, int32_t number, ferrule_cursor *args, uint32_t count) {
  ferrule_actuator *actuator = device->actuators;
  while (actuator != NULL && number-- > 0) actuator = actuator->next;
  if (actuator == NULL) return FERRULE_CODE_UNKNOWN;
  if ((actuator->state & (FERRULE_MOVES | FERRULE_GETS_SAFE)) != 0) return FERRULE_CODE_BUSY;
  ferrule_item items[MOST_ARGUMENTS];
  int32_t values[MOST_ARGUMENTS];
  uint8_t given = 0;
  uint8_t position = 0;
  if (count > count_of(actuator)) return FERRULE_CODE_BAD_ARGUMENTS;
  const ferrule_member *members;
  for (; (members = ferrule_argument_members(actuator, position)) != NULL; position++) {
    items[position].type = FERRULE_ITEM_NULL;
    if (count > 0) {
      count--;
      ferrule_cursor inside = *args;
      (void)ferrule_item_skip(args);
      ferrule_item_read(&inside, &items[position]);
    }
    const uint8_t code = take_argument(&items[position], members, position, &values[position], &given);
    if (code != 0) return code;
  }
  if (!is_safe(actuator, values, given)) {
    const ferrule_move move = {device, actuator, values};
    const uint8_t code = check_rules(&move);
    if (code != 0) return code;
  }
  memcpy(actuator->values, values, position * sizeof *values);
  actuator->given = given;
  actuator->slot = slot;
  count_move(device, actuator);
  begin(device, actuator, FERRULE_MOVES, FERRULE_DONE, items);
  return 0;
}

void ferrule_take_call(ferrule_device *device, uint8_t id, int32_t number, ferrule_cursor *rest) {
  ferrule_slot *slot = slot_of(device, id);
  if (slot != NULL) {
    if (slot->state == FERRULE_SLOT_OVER) answer(device, slot);
    else ferrule_send_progress(device, id);
    return;
  }
  ferrule_item head;
  ferrule_cursor args = *rest;
  (void)ferrule_item_skip(rest);
  slot = new_slot(device, id, rest);
  if (slot == NULL) return;
  ferrule_item_read(&args, &head);
  const uint8_t code = run(device, slot, number, &args, head.argument);
  if (code == 0) return;
  slot->outcome.status = (ferrule_status)code;
  end_slot(device, slot);
}

void ferrule_cancel(ferrule_device *device, uint8_t id) {
  ferrule_slot *slot = slot_of(device, id);
  if (slot == NULL) {
    slot = new_slot(device, id, NULL);
    if (slot == NULL) return;
    slot->outcome.status = FERRULE_CANCELLED;
    end_slot(device, slot);
    return;
  }
  for (ferrule_actuator *actuator = device->actuators; actuator != NULL; actuator = actuator->next) {
    if (actuator->slot == slot) make_safe(device, actuator, FERRULE_CANCELLED);
  }
  if (slot->state == FERRULE_SLOT_RUNS) ferrule_send_progress(device, id);
}

void ferrule_stop(ferrule_device *device, bool only_arming) {
  for (ferrule_actuator *actuator = device->actuators; actuator != NULL; actuator = actuator->next) {
    ferrule_member member;
    if (only_arming && !ferrule_find(actuator->members, FERRULE_KEY_ARMING, &member)) continue;
    actuator->state &= (uint8_t)~FERRULE_NOT_SAFE;
    make_safe(device, actuator, FERRULE_STOPPED);
  }
}

void ferrule_forget_calls(ferrule_device *device) {
  device->flags &= (uint8_t)~FERRULE_ID_SEEN;
  for (uint8_t at = 0; at < device->slot_count; at++) device->slots[at].state = FERRULE_SLOT_FREE;
  for (ferrule_actuator *actuator = device->actuators; actuator != NULL; actuator = actuator->next) {
    actuator->slot = NULL;
    if ((actuator->state & FERRULE_MOVES) != 0) make_safe(device, actuator, FERRULE_STOPPED);
  }
}

void ferrule_poll_actuators(ferrule_device *device) {
  for (ferrule_actuator *actuator = device->actuators; actuator != NULL; actuator = actuator->next) {
    if ((actuator->state & (FERRULE_MOVES | FERRULE_GETS_SAFE)) != 0) step(device, actuator, NULL);
    ferrule_member member;
    if ((actuator->state & FERRULE_IS_AWAY) == 0 || !ferrule_find(actuator->members, FERRULE_KEY_HOLD, &member) ||
        now(device) - actuator->away_at < (uint32_t)member.number) {
      continue;
    }
    make_safe(device, actuator, FERRULE_TIMED_OUT);
    (void)ferrule_find(actuator->members, FERRULE_KEY_NAME, &member);
    ferrule_log_flash(device, 4, (const char *)member.at);
  }
}

void ferrule_answer_stop(ferrule_device *device) {
  if ((device->flags & FERRULE_STOP_WAITS) == 0) return;
  uint8_t failed = 0;
  for (const ferrule_actuator *actuator = device->actuators; actuator != NULL; actuator = actuator->next) {
    if ((actuator->state & FERRULE_GETS_SAFE) != 0) return;
    if ((actuator->state & FERRULE_NOT_SAFE) != 0) failed++;
  }
  device->flags &= (uint8_t)~FERRULE_STOP_WAITS;
  ferrule_open(device, failed > 0 ? 4 : 3, FERRULE_KIND_RESULT, device->stop_session, device->stop_id);
  if (failed > 0) {
    ferrule_put_head(device, FERRULE_ITEM_ARRAY, failed);
    uint8_t number = 0;
    for (const ferrule_actuator *actuator = device->actuators; actuator != NULL; actuator = actuator->next, number++) {
      if ((actuator->state & FERRULE_NOT_SAFE) != 0) ferrule_put_head(device, FERRULE_ITEM_POSITIVE, number);
    }
  }
  ferrule_close(device);
}

/* ---- For set functions ---- */

int32_t ferrule_argument(const ferrule_actuator *actuator, uint8_t position) { return actuator->values[position]; }

bool ferrule_is_given(const ferrule_actuator *actuator, uint8_t position) {
  return (actuator->given >> position & 1) != 0;
}

int32_t ferrule_value(const ferrule_call *call, uint8_t position) { return call->actuator->values[position]; }

uint16_t ferrule_copy(const ferrule_call *call, uint8_t position, char *to, uint16_t size) {
  const ferrule_item *item = call->items == NULL || call->items == no_items ? NULL : &call->items[position];
  uint16_t length = 0;
  if (item != NULL && (item->type == FERRULE_ITEM_TEXT || item->type == FERRULE_ITEM_BYTES)) {
    length = (uint16_t)item->argument;
  }
  if (size > 0) {
    const uint16_t copied = length < size ? length : (uint16_t)(size - 1);
    if (copied > 0) memcpy(to, item->bytes, copied);
    to[copied] = 0;
  }
  return length;
}

void ferrule_progress(ferrule_call *call, int32_t done, int32_t total) {
  ferrule_device *device = call->device;
  ferrule_slot *slot = call->actuator->slot;
  if (slot == NULL) return;
  /* 0 and 1 say that no progress with a number was sent yet. */
  const uint16_t time = (uint16_t)(now(device) | 2);
  if (slot->told_at > 1 && (uint16_t)(time - slot->told_at) < PROGRESS_EVERY_MS) return;
  slot->told_at = time;
  ferrule_open(device, total > 0 ? 5 : 4, FERRULE_KIND_PROGRESS, device->session, slot->id);
  ferrule_put_number(device, done, 0);
  if (total > 0) ferrule_put_number(device, total, 0);
  ferrule_close(device);
}

ferrule_status ferrule_result(ferrule_call *call, int32_t number, uint8_t decimals) {
  call->outcome->form = decimals & FERRULE_FORM_DECIMALS;
  call->outcome->number = number;
  return FERRULE_DONE;
}

ferrule_status ferrule_refuse(ferrule_call *call, ferrule_status status, const char *text) {
  call->outcome->form = FERRULE_OUTCOME_TEXT | FERRULE_OUTCOME_FLASH;
  call->outcome->text = text;
  call->outcome->length = (uint16_t)ferrule_flash_length(text);
  return status;
}

bool ferrule_is_away(const ferrule_actuator *actuator) { return (actuator->state & FERRULE_IS_AWAY) != 0; }
