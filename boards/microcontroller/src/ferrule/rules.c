/* Each type and each rule stands alone: the linker leaves out those that no description points to. */
#include "rules.h"

#include "internal.h"
#include "number.h"

static uint8_t take_number(const ferrule_item *item, uint8_t decimals, int32_t *value) {
  return ferrule_number_of(item, decimals, FERRULE_NEAREST, value, NULL);
}
const ferrule_type ferrule_type_number FERRULE_FLASH = {take_number};

static uint8_t take_integer(const ferrule_item *item, uint8_t decimals, int32_t *value) {
  bool is_whole = false;
  const uint8_t code = ferrule_number_of(item, decimals, FERRULE_NEAREST, value, &is_whole);
  return code == 0 && !is_whole ? FERRULE_CODE_BAD_ARGUMENTS : code;
}
const ferrule_type ferrule_type_integer FERRULE_FLASH = {take_integer};

static uint8_t take_boolean(const ferrule_item *item, uint8_t decimals, int32_t *value) {
  (void)decimals;
  *value = item->type == FERRULE_ITEM_TRUE;
  return item->type == FERRULE_ITEM_TRUE || item->type == FERRULE_ITEM_FALSE ? 0 : FERRULE_CODE_BAD_ARGUMENTS;
}
const ferrule_type ferrule_type_boolean FERRULE_FLASH = {take_boolean};

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

static uint8_t take_text(const ferrule_item *item, uint8_t decimals, int32_t *value) {
  (void)decimals;
  *value = (int32_t)item->argument;
  return item->type == FERRULE_ITEM_TEXT && is_utf8(item->bytes, (uint16_t)item->argument) ? 0
                                                                                          : FERRULE_CODE_BAD_ARGUMENTS;
}
const ferrule_type ferrule_type_text FERRULE_FLASH = {take_text};

static uint8_t take_bytes(const ferrule_item *item, uint8_t decimals, int32_t *value) {
  (void)decimals;
  *value = (int32_t)item->argument;
  return item->type == FERRULE_ITEM_BYTES ? 0 : FERRULE_CODE_BAD_ARGUMENTS;
}
const ferrule_type ferrule_type_bytes FERRULE_FLASH = {take_bytes};

static int8_t compared(const ferrule_item *item, const ferrule_member *member) {
  return ferrule_compare(item, member->number, member->form & FERRULE_FORM_DECIMALS);
}

static uint8_t check_minimum(const ferrule_item *item, const ferrule_member *members, const ferrule_member *member) {
  (void)members;
  return compared(item, member) < 0 ? FERRULE_CODE_OUT_OF_RANGE : 0;
}
const ferrule_argument_rule ferrule_rule_minimum FERRULE_FLASH = {check_minimum};

static uint8_t check_maximum(const ferrule_item *item, const ferrule_member *members, const ferrule_member *member) {
  (void)members;
  return compared(item, member) > 0 ? FERRULE_CODE_OUT_OF_RANGE : 0;
}
const ferrule_argument_rule ferrule_rule_maximum FERRULE_FLASH = {check_maximum};

static bool is_text(const ferrule_item *item, const char *text) {
  uint32_t at = 0;
  for (; at < item->argument; at++) {
    /* Its end does not equal a byte of the item either, unless that is a 0. */
    const uint8_t byte = ferrule_flash_byte(text + at);
    if (byte == 0 || byte != item->bytes[at]) return false;
  }
  return ferrule_flash_byte(text + at) == 0;
}

static uint8_t check_values(const ferrule_item *item, const ferrule_member *members, const ferrule_member *unused) {
  (void)unused;
  for (;; members++) {
    ferrule_member member;
    ferrule_from_flash(&member, members, sizeof member);
    if (member.key == FERRULE_KEY_END) return FERRULE_CODE_OUT_OF_RANGE;
    if (member.key != FERRULE_KEY_VALUES) continue;
    if ((member.form & FERRULE_FORM_TEXT) != 0 ? is_text(item, (const char *)member.at)
                                               : compared(item, &member) == 0) {
      return 0;
    }
  }
}
const ferrule_argument_rule ferrule_rule_values FERRULE_FLASH = {check_values};

static uint8_t check_longest(const ferrule_item *item, const ferrule_member *members, const ferrule_member *member) {
  (void)members;
  int32_t count = (int32_t)item->argument;
  if (item->type == FERRULE_ITEM_TEXT) {
    for (uint32_t at = 0; at < item->argument; at++) count -= (item->bytes[at] & 0xC0) == 0x80;
  }
  return count > member->number ? FERRULE_CODE_OUT_OF_RANGE : 0;
}
const ferrule_argument_rule ferrule_rule_longest FERRULE_FLASH = {check_longest};

static uint32_t since_move(const ferrule_move *move) {
  return move->device->platform->millis(move->device->context) - move->actuator->moved_at;
}

static bool has_moved(const ferrule_move *move) { return (move->actuator->state & FERRULE_HAS_MOVED) != 0; }

static uint8_t check_interval(const ferrule_move *move, const ferrule_member *member) {
  return has_moved(move) && since_move(move) < (uint32_t)member->number ? FERRULE_CODE_TOO_SOON : 0;
}
const ferrule_actuator_rule ferrule_rule_interval FERRULE_FLASH = {check_interval};

static uint8_t check_rate(const ferrule_move *move, const ferrule_member *member) {
  uint32_t ms = has_moved(move) ? since_move(move) : 1000;
  if (ms > 1000) ms = 1000;
  const ferrule_member *argument;
  for (uint8_t position = 0; (argument = ferrule_argument_members(move->actuator, position)) != NULL; position++) {
    ferrule_member type;
    if (!ferrule_find(argument, FERRULE_KEY_TYPE, &type) || type.number > 1) continue;
    int32_t rate = member->number;
    /* A rate beyond 32 bits holds nothing up. */
    if (!ferrule_rescaled(&rate, member->form & FERRULE_FORM_DECIMALS, type.form & FERRULE_FORM_DECIMALS)) continue;
    const int32_t last = move->actuator->values[position];
    const int32_t next = move->values[position];
    const uint32_t step = next > last ? (uint32_t)next - (uint32_t)last : (uint32_t)last - (uint32_t)next;
    /* Thousands and the rest apart, so that nothing runs over. */
    const uint32_t allowed = (uint32_t)rate / 1000 * ms + (uint32_t)rate % 1000 * ms / 1000;
    if (step > allowed) return FERRULE_CODE_TOO_SOON;
  }
  return 0;
}
const ferrule_actuator_rule ferrule_rule_rate FERRULE_FLASH = {check_rate};

static uint8_t check_group(const ferrule_move *move, const ferrule_member *member) {
  for (const ferrule_actuator *other = move->device->actuators; other != NULL; other = other->next) {
    ferrule_member group;
    if (other != move->actuator && (other->state & FERRULE_IS_AWAY) != 0 &&
        ferrule_find(other->members, FERRULE_KEY_GROUP, &group) && group.number == member->number) {
      return FERRULE_CODE_INTERLOCKED;
    }
  }
  return 0;
}
const ferrule_actuator_rule ferrule_rule_group FERRULE_FLASH = {check_group};

static uint8_t check_arming(const ferrule_move *move, const ferrule_member *member) {
  (void)member;
  return ferrule_is_armed(move->device) ? 0 : FERRULE_CODE_NOT_ARMED;
}
const ferrule_actuator_rule ferrule_rule_arming FERRULE_FLASH = {check_arming};
