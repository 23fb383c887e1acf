/* The description: records made from the declared members, whenever they are asked for. */
#include "internal.h"

static ferrule_member member_at(const ferrule_member *at) {
  ferrule_member member;
  ferrule_from_flash(&member, at, sizeof member);
  return member;
}

bool ferrule_find(const ferrule_member *members, uint8_t key, ferrule_member *member) {
  for (;; members++) {
    *member = member_at(members);
    if (member->key == FERRULE_KEY_END) return false;
    if (member->key == key) return true;
  }
}

uint32_t ferrule_ms_of(const ferrule_member *members, uint8_t key, uint32_t otherwise) {
  ferrule_member member;
  return ferrule_find(members, key, &member) ? (uint32_t)member.number : otherwise;
}

uint8_t ferrule_decimals_of(const ferrule_member *members) {
  ferrule_member member;
  return ferrule_find(members, FERRULE_KEY_TYPE, &member) ? member.form & FERRULE_FORM_DECIMALS : 0;
}

const ferrule_member *ferrule_argument_members(const ferrule_actuator *actuator, uint8_t position) {
  const ferrule_member *members;
  ferrule_from_flash(&members, actuator->arguments + position, sizeof members);
  return members;
}

static bool is_boolean(const ferrule_member *members) {
  ferrule_member type;
  return ferrule_find(members, FERRULE_KEY_TYPE, &type) && type.number == 2;
}

/* A text that is empty, and the type number, say what their absence says. */
static bool is_told(const ferrule_member *member) {
  if (member->key >= 64) return false;
  if (member->key == FERRULE_KEY_TYPE) return member->number != 0;
  if ((member->form & (FERRULE_FORM_TEXT | FERRULE_FORM_ARRAY)) != FERRULE_FORM_TEXT) return true;
  return ferrule_flash_byte(member->at) != 0;
}

/* `owner` is what the value belongs to: its type tells whether 1 is a number or true. */
static void put_value(ferrule_device *device, const ferrule_member *member, const ferrule_member *owner) {
  if ((member->form & FERRULE_FORM_TEXT) != 0) {
    ferrule_put_text(device, (const char *)member->at, true);
  } else if ((member->form & FERRULE_FORM_NULL) != 0) {
    ferrule_put(device, 0xF6);
  } else if ((member->form & FERRULE_FORM_BOOLEAN) != 0 || (owner != NULL && is_boolean(owner))) {
    ferrule_put(device, member->number != 0 ? 0xF5 : 0xF4);
  } else {
    ferrule_put_number(device, member->number, member->key == FERRULE_KEY_TYPE ? 0 : member->form & FERRULE_FORM_DECIMALS);
  }
}

static void put_array(ferrule_device *device, const ferrule_member *members, uint8_t key,
                      const ferrule_actuator *actuator) {
  ferrule_member member;
  uint8_t count = 0;
  for (const ferrule_member *at = members; (member = member_at(at)).key != FERRULE_KEY_END; at++) {
    if (member.key == key && (member.form & FERRULE_FORM_NULL) == 0) count++;
  }
  ferrule_put_head(device, FERRULE_ITEM_ARRAY, count);
  uint8_t position = 0;
  for (const ferrule_member *at = members; position < count; at++) {
    member = member_at(at);
    if (member.key != key) continue;
    put_value(device, &member, actuator != NULL ? ferrule_argument_members(actuator, position) : NULL);
    position++;
  }
}

static void put_members(ferrule_device *device, const ferrule_member *members, const ferrule_actuator *actuator) {
  ferrule_member member;
  uint32_t keys = 0;
  uint8_t count = 0;
  for (const ferrule_member *at = members; (member = member_at(at)).key != FERRULE_KEY_END; at++) {
    if (!is_told(&member)) continue;
    const uint32_t bit = (uint32_t)1 << (member.key & 31);
    if ((keys & bit) == 0) count++;
    keys |= bit;
  }
  ferrule_put_head(device, FERRULE_ITEM_MAP, count);
  for (uint8_t key = 1; keys >>= 1, key < 32; key++) {
    if ((keys & 1) == 0) continue;
    (void)ferrule_find(members, key, &member);
    ferrule_put_head(device, FERRULE_ITEM_POSITIVE, key);
    if ((member.form & FERRULE_FORM_ARRAY) != 0) put_array(device, members, key, actuator);
    else put_value(device, &member, key == FERRULE_KEY_INITIAL ? members : NULL);
  }
}

bool ferrule_put_record(ferrule_device *device, uint32_t number) {
  uint8_t index = 0;
  if (number == 0) {
    ferrule_put_head(device, FERRULE_ITEM_ARRAY, 2);
    ferrule_put(device, 0);
    put_members(device, device->members, NULL);
    return true;
  }
  for (const ferrule_sensor *sensor = device->sensors; sensor != NULL; sensor = sensor->next, index++) {
    if (--number > 0) continue;
    ferrule_put_head(device, FERRULE_ITEM_ARRAY, 3);
    ferrule_put(device, 1);
    ferrule_put_head(device, FERRULE_ITEM_POSITIVE, index);
    put_members(device, sensor->members, NULL);
    return true;
  }
  index = 0;
  for (const ferrule_actuator *actuator = device->actuators; actuator != NULL; actuator = actuator->next, index++) {
    const ferrule_member *members = actuator->members;
    for (uint8_t position = 0; members != NULL; members = ferrule_argument_members(actuator, position++)) {
      if (--number > 0) continue;
      const bool is_argument = position > 0;
      ferrule_put_head(device, FERRULE_ITEM_ARRAY, is_argument ? 4 : 3);
      ferrule_put(device, is_argument ? 3 : 2);
      ferrule_put_head(device, FERRULE_ITEM_POSITIVE, index);
      if (is_argument) ferrule_put_head(device, FERRULE_ITEM_POSITIVE, (uint32_t)position - 1);
      put_members(device, members, is_argument ? NULL : actuator);
      return true;
    }
  }
  return false;
}

void ferrule_hash_records(ferrule_device *device) {
  device->sink = FERRULE_TO_HASH;
  device->sum = 0x811C9DC5;
  device->records = 0;
  while (ferrule_put_record(device, device->records)) device->records++;
  device->hash = device->sum;
  device->sink = FERRULE_TO_LINE;
}
