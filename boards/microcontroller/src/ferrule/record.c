/* The description: records made from the declared members, whenever they are asked for. */
#include "internal.h"

ferrule_member ferrule_found;

FERRULE_CALLED bool ferrule_load(const ferrule_member *member) {
  ferrule_from_flash(&ferrule_found, member, sizeof ferrule_found);
  /* A list ends with the name. */
  return (ferrule_found.key & FERRULE_KEY_BITS) != FERRULE_KEY_NAME;
}

bool ferrule_find_at(const ferrule_member *members, uint8_t key, uint8_t position) {
  bool goes_on;
  do {
    goes_on = ferrule_load(members++);
    if ((ferrule_found.key & FERRULE_KEY_BITS) == key && position-- == 0) return true;
  } while (goes_on);
  return false;
}

bool ferrule_find(const ferrule_member *members, uint8_t key) { return ferrule_find_at(members, key, 0); }

FERRULE_CALLED int32_t ferrule_number_of(const ferrule_member *members, uint8_t key, uint8_t position) {
  return ferrule_find_at(members, key, position) ? ferrule_found.number : 0;
}

uint32_t ferrule_ms_of(const ferrule_member *members, uint8_t key, uint16_t otherwise) {
  return ferrule_find(members, key) ? (uint32_t)ferrule_found.number : otherwise;
}

uint8_t ferrule_find_type(const ferrule_member *members) {
  (void)ferrule_find(members, FERRULE_KEY_TYPE);
  return ferrule_found.form & FERRULE_FORM_DECIMALS;
}

FERRULE_CALLED void ferrule_put_typed(ferrule_device *device, int32_t number, uint8_t decimals) {
  const ferrule_type *type = (const ferrule_type *)ferrule_found.at;
  ferrule_flash_function(ferrule_put_value, &type->put)(device, number, decimals);
}

const ferrule_member *ferrule_argument_members(const ferrule_actuator *actuator, uint8_t position) {
  return (const ferrule_member *)ferrule_flash_pointer(actuator->arguments + position);
}

/* Writes what was found last. Whether 1 is a number or true, and its decimals, the type of `owner` tells. */
static void put_found(ferrule_device *device, const ferrule_member *owner) {
  const uint8_t form = ferrule_found.form;
  if ((form & FERRULE_FORM_TEXT) != 0) {
    ferrule_put_flash_text(device, ferrule_found.at);
  } else if ((form & FERRULE_FORM_NULL) != 0) {
    ferrule_put(device, 0xF6);
  } else if ((form & FERRULE_FORM_BOOLEAN) != 0) {
    ferrule_put_boolean(device, true);
  } else {
    const int32_t number = ferrule_found.number;
    if ((form & FERRULE_FORM_PLAIN) != 0 || owner == NULL) ferrule_put_integer(device, number, 0);
    else ferrule_put_typed(device, number, ferrule_find_type(owner));
  }
}

/* Finds what a record tells under a key. */
static bool find_told(const ferrule_member *members, uint8_t key) {
  if (ferrule_find(members, key)) return ferrule_found.key == key;
  /* The title and the unit stand behind the name. */
  if ((key != FERRULE_KEY_TITLE && key != FERRULE_KEY_UNIT) || !ferrule_find(members, FERRULE_KEY_NAME)) return false;
  const char *at = (const char *)ferrule_found.at;
  at += ferrule_flash_length(at) + 1;
  if (key == FERRULE_KEY_UNIT) at += ferrule_flash_length(at) + 1;
  ferrule_found.at = at;
  return ferrule_flash_byte(at) != 0;
}

static void put_members(ferrule_device *device, const ferrule_member *members, const ferrule_actuator *actuator) {
  /* Keys must rise, and a map must say how many there are: counted first, then written. */
  uint8_t count = 0;
  for (bool writes = false;; writes = true) {
    for (uint8_t key = FERRULE_KEY_NAME; key <= FERRULE_KEY_STATE_CLASS; key++) {
      if (!find_told(members, key)) continue;
      if (!writes) {
        count++;
        continue;
      }
      ferrule_put_head(device, FERRULE_ITEM_POSITIVE, key);
      uint8_t length = 1;
      const bool is_array = (ferrule_found.form & FERRULE_FORM_ARRAY) != 0;
      if (is_array) {
        length = 0;
        if ((ferrule_found.form & FERRULE_FORM_NULL) == 0) {
          while (ferrule_find_at(members, key, length)) length++;
        }
        ferrule_put_head(device, FERRULE_ITEM_ARRAY, length);
      }
      for (uint8_t at = 0; at < length; at++) {
        if (is_array) (void)ferrule_find_at(members, key, at);
        /* A rate is in the units of the first argument. */
        put_found(device, actuator != NULL ? ferrule_argument_members(actuator, at) : members);
      }
    }
    if (writes) return;
    ferrule_put_head(device, FERRULE_ITEM_MAP, count);
  }
}

static void put_number(ferrule_device *device, uint8_t number) {
  ferrule_put_head(device, FERRULE_ITEM_POSITIVE, number);
}

bool ferrule_put_record(ferrule_device *device, uint8_t number) {
  /* Classes of records: 0 the device, 1 a sensor, 2 an actuator, 3 an argument of it. */
  uint8_t kind = 0;
  uint8_t index = 0;
  uint8_t position = 0;
  const ferrule_member *members = device->members;
  ferrule_part *part = NULL;
  while (number-- > 0) {
    if (kind == 2) {
      /* From an actuator to its first argument, and on. */
      members = ferrule_argument_members((const ferrule_actuator *)part, position++);
      if (members != NULL) continue;
    }
    position = 0;
    if (part != NULL) {
      part = part->next;
      index++;
    }
    while (part == NULL) {
      if (kind == 2) return false;
      part = kind++ == 0 ? device->sensors : device->actuators;
      index = 0;
    }
    members = part->members;
  }
  const bool is_argument = position > 0;
  kind = (uint8_t)(kind + is_argument);
  ferrule_put(device, (uint8_t)(0x82 + (kind > 0) + is_argument));
  ferrule_put(device, kind);
  if (kind > 0) put_number(device, index);
  if (is_argument) put_number(device, (uint8_t)(position - 1));
  put_members(device, members, kind == 2 ? (const ferrule_actuator *)part : NULL);
  return true;
}

void ferrule_hash_records(ferrule_device *device) {
  uint8_t records = 0;
  device->hashes = true;
  device->said[FERRULE_SAID_HASH] = 0x811C9DC5;
  while (ferrule_put_record(device, records)) records++;
  device->hashes = false;
  device->said[FERRULE_SAID_RECORDS] = records;
}
