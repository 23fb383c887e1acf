/* Each type and each rule stands alone: the linker leaves out those that no description points to. */
#include "rules.h"

#include "internal.h"
#include "number.h"

const ferrule_type ferrule_type_number FERRULE_FLASH = {ferrule_take_number, ferrule_put_decimal};

const ferrule_type ferrule_type_integer FERRULE_FLASH = {ferrule_take_integer, ferrule_put_integer};

static uint8_t take_boolean(uint8_t decimals) {
  (void)decimals;
  ferrule_given.value = ferrule_in.type == FERRULE_ITEM_TRUE;
  return ferrule_in.type == FERRULE_ITEM_TRUE || ferrule_in.type == FERRULE_ITEM_FALSE ? 0 : FERRULE_CODE_BAD_ARGUMENTS;
}
static void put_boolean(ferrule_device *device, int32_t number, uint8_t decimals) {
  (void)decimals;
  ferrule_put_boolean(device, (uint8_t)number);
}
const ferrule_type ferrule_type_boolean FERRULE_FLASH = {take_boolean, put_boolean};

/* RFC 3629: no byte that follows nothing, none missing, no form longer than needed, no surrogate, nothing past 10FFFF. */
static bool is_utf8(const uint8_t *at, uint16_t length) {
  while (length > 0) {
    const uint8_t first = *at++;
    length--;
    if (first < 0x80) continue;
    uint8_t more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
    if (first < 0xC2 || first > 0xF4 || more > length) return false;
    const uint8_t second = *at;
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) || (first == 0xF0 && second < 0x90) ||
        (first == 0xF4 && second > 0x8F)) {
      return false;
    }
    for (; more > 0; more--, length--) {
      if ((*at++ & 0xC0) != 0x80) return false;
    }
  }
  return true;
}

static uint8_t take_string(uint8_t type) {
  ferrule_given.value = (int32_t)ferrule_in.argument;
  return ferrule_in.type == type ? 0 : FERRULE_CODE_BAD_ARGUMENTS;
}

static uint8_t take_text(uint8_t decimals) {
  (void)decimals;
  const uint8_t code = take_string(FERRULE_ITEM_TEXT);
  return code != 0 || is_utf8(ferrule_in.bytes, (uint16_t)ferrule_in.argument) ? code : FERRULE_CODE_BAD_ARGUMENTS;
}
const ferrule_type ferrule_type_text FERRULE_FLASH = {take_text, ferrule_put_integer};

static uint8_t take_bytes(uint8_t decimals) {
  (void)decimals;
  return take_string(FERRULE_ITEM_BYTES);
}
const ferrule_type ferrule_type_bytes FERRULE_FLASH = {take_bytes, ferrule_put_integer};

/* The argument against the number that was found: below 0, 0, or above 0. */
static int8_t compared(void) {
  if (ferrule_given.value == ferrule_found.number) return ferrule_given.excess;
  return ferrule_given.value < ferrule_found.number ? -1 : 1;
}

static uint8_t check_minimum(const void *unused) {
  (void)unused;
  return compared() < 0 ? FERRULE_CODE_OUT_OF_RANGE : 0;
}
const ferrule_argument_rule ferrule_rule_minimum FERRULE_FLASH = {check_minimum};

static uint8_t check_maximum(const void *unused) {
  (void)unused;
  return compared() > 0 ? FERRULE_CODE_OUT_OF_RANGE : 0;
}
const ferrule_argument_rule ferrule_rule_maximum FERRULE_FLASH = {check_maximum};

static bool is_text(const char *text) {
  uint16_t at = 0;
  for (; at < (uint16_t)ferrule_in.argument; at++) {
    const uint8_t byte = ferrule_flash_byte(text + at);
    if (byte == 0 || byte != ferrule_in.bytes[at]) return false;
  }
  return ferrule_flash_byte(text + at) == 0;
}

static uint8_t check_values(const void *what) {
  const ferrule_member *members = what;
  for (uint8_t at = 0; ferrule_find_at(members, FERRULE_KEY_VALUES, at); at++) {
    if ((ferrule_found.form & FERRULE_FORM_TEXT) != 0 ? is_text((const char *)ferrule_found.at)
                                                     : compared() == 0) {
      return 0;
    }
  }
  return FERRULE_CODE_OUT_OF_RANGE;
}
const ferrule_argument_rule ferrule_rule_values FERRULE_FLASH = {check_values};

static uint8_t check_longest(const void *unused) {
  (void)unused;
  uint16_t count = (uint16_t)ferrule_in.argument;
  if (ferrule_in.type == FERRULE_ITEM_TEXT) {
    for (uint16_t at = 0; at < (uint16_t)ferrule_in.argument; at++) {
      if ((ferrule_in.bytes[at] & 0xC0) == 0x80) count--;
    }
  }
  return count > (uint32_t)ferrule_found.number ? FERRULE_CODE_OUT_OF_RANGE : 0;
}
const ferrule_argument_rule ferrule_rule_longest FERRULE_FLASH = {check_longest};

/* What is left out: its initial value, where it has one. Asked only then. */
static uint8_t take_default(const void *members) {
  ferrule_given.value = ferrule_number_of(members, FERRULE_KEY_INITIAL, 0);
  return 0;
}
const ferrule_argument_rule ferrule_rule_optional FERRULE_FLASH = {take_default};

static uint32_t since_move(const ferrule_move *move) { return ferrule_since(move->device, &move->actuator->moved_at); }

static bool has_moved(const ferrule_move *move) { return (move->actuator->state & FERRULE_HAS_MOVED) != 0; }

static uint8_t check_interval(const void *what) {
  const ferrule_move *move = what;
  return has_moved(move) && since_move(move) < (uint32_t)ferrule_found.number ? FERRULE_CODE_TOO_SOON : 0;
}
const ferrule_actuator_rule ferrule_rule_interval FERRULE_FLASH = {check_interval, NULL};

static uint8_t check_rate(const void *what) {
  const ferrule_move *move = what;
  const uint32_t rate = (uint32_t)ferrule_found.number;
  uint32_t ms = 1000;
  if (has_moved(move) && since_move(move) < ms) ms = since_move(move);
  for (uint8_t position = 0; position < move->actuator->count; position++) {
    (void)ferrule_find_type(ferrule_argument_members(move->actuator, position));
    /* Numbers only: 0 and 1. */
    if (ferrule_found.number > 1) continue;
    uint32_t step = (uint32_t)move->values[position] - (uint32_t)move->actuator->values[position];
    if (move->values[position] < move->actuator->values[position]) step = 0 - step;
    /* Thousands and the rest apart, so that nothing runs over. */
    if (step > rate / 1000 * ms + rate % 1000 * ms / 1000) return FERRULE_CODE_TOO_SOON;
  }
  return 0;
}
const ferrule_actuator_rule ferrule_rule_rate FERRULE_FLASH = {check_rate, NULL};

static uint8_t check_group(const void *what) {
  const ferrule_move *move = what;
  const int32_t group = ferrule_found.number;
  for (ferrule_part *part = move->device->actuators; part != NULL; part = part->next) {
    const ferrule_actuator *other = (const ferrule_actuator *)part;
    if (other != move->actuator && ferrule_is_away(other) && ferrule_find(other->part.members, FERRULE_KEY_GROUP) &&
        ferrule_found.number == group) {
      return FERRULE_CODE_INTERLOCKED;
    }
  }
  return 0;
}
const ferrule_actuator_rule ferrule_rule_group FERRULE_FLASH = {check_group, NULL};

static uint8_t check_arming(const void *what) {
  const ferrule_move *move = what;
  return ferrule_is_armed(move->device) ? 0 : FERRULE_CODE_NOT_ARMED;
}

static void arm(ferrule_device *device, int16_t id, uint8_t armed) {
  device->flags &= (uint8_t)~FERRULE_ARMED;
  if (armed) device->flags |= FERRULE_ARMED;
  for (ferrule_part *part = device->actuators; part != NULL && !armed; part = part->next) {
    if (ferrule_find(part->members, FERRULE_KEY_ARMING)) ferrule_make_safe(device, (ferrule_actuator *)part);
  }
  ferrule_open(device, 4, FERRULE_KIND_RESULT, id);
  ferrule_put_boolean(device, armed);
  ferrule_close(device);
}

static void start_arming(ferrule_device *device, ferrule_actuator *unused) {
  (void)unused;
  device->arm = arm;
  device->said_count = FERRULE_SAID;
}
const ferrule_actuator_rule ferrule_rule_arming FERRULE_FLASH = {check_arming, start_arming};

static uint8_t check_nothing(const void *unused) {
  (void)unused;
  return 0;
}

static void log_hold(ferrule_device *device, const char *name) {
  static const char text[] FERRULE_FLASH = ": held for its longest time, put back to its safe value";
  const uint16_t length = (uint16_t)ferrule_flash_length(name);
  ferrule_open(device, 4, FERRULE_KIND_LOG, 4);
  ferrule_put_head(device, FERRULE_ITEM_TEXT, (uint16_t)(length + sizeof text - 1));
  for (uint16_t at = 0; at < length; at++) ferrule_put(device, ferrule_flash_byte(name + at));
  for (uint8_t at = 0; at < sizeof text - 1; at++) ferrule_put(device, ferrule_flash_byte(text + at));
  ferrule_close(device);
}

static void hold(ferrule_device *device) {
  for (ferrule_part *part = device->actuators; part != NULL; part = part->next) {
    ferrule_actuator *actuator = (ferrule_actuator *)part;
    if (!ferrule_is_away(actuator) || !ferrule_find(part->members, FERRULE_KEY_HOLD) ||
        !ferrule_is_past(device, &actuator->away_at, (uint32_t)ferrule_found.number)) {
      continue;
    }
    (void)ferrule_break_off(device, actuator, FERRULE_TIMED_OUT);
    (void)ferrule_find(part->members, FERRULE_KEY_NAME);
    log_hold(device, (const char *)ferrule_found.at);
  }
}

static void start_hold(ferrule_device *device, ferrule_actuator *unused) {
  (void)unused;
  device->hold = hold;
}
const ferrule_actuator_rule ferrule_rule_hold FERRULE_FLASH = {check_nothing, start_hold};

static void start_initial(ferrule_device *unused, ferrule_actuator *actuator) {
  (void)unused;
  ferrule_load_values(actuator, FERRULE_KEY_INITIAL);
  actuator->state |= FERRULE_STARTS;
}
const ferrule_actuator_rule ferrule_rule_initial FERRULE_FLASH = {check_nothing, start_initial};
