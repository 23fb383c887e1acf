#include "cbor.h"

ferrule_reader ferrule_in;

static uint8_t read_item(void) {
  if (ferrule_in.at == ferrule_in.end) return FERRULE_ITEM_BAD;
  const uint8_t head = *ferrule_in.at++;
  const uint8_t major = head >> 5;
  uint8_t size = head & 0x1F;
  uint32_t argument = size;
  if (size >= 24) {
    if (size > 27) return FERRULE_ITEM_BAD;
    size = (uint8_t)(1 << (size - 24));
    argument = 0;
    uint8_t upper = 0;
    for (uint8_t left = size; left > 0; left--) {
      if (ferrule_in.at == ferrule_in.end) return FERRULE_ITEM_BAD;
      const uint8_t byte = *ferrule_in.at++;
      argument = argument << 8 | byte;
      if (left > size / 2) upper |= byte;
    }
    /* Longer than needed: every value has one form only. */
    if (major != 7 && (size == 1 ? upper < 24 : upper == 0)) return FERRULE_ITEM_BAD;
  } else {
    size = 0;
  }
  ferrule_in.argument = argument;
  if (major == 7) {
    if (size == 8) return FERRULE_ITEM_WIDE;
    if (size == 4) return FERRULE_ITEM_SINGLE;
    if (size == 2) return FERRULE_ITEM_HALF;
    const uint8_t simple = (uint8_t)(head - 0xF4);
    return simple > 2 ? FERRULE_ITEM_BAD : (uint8_t)(FERRULE_ITEM_FALSE + simple);
  }
  if (size == 8) return major <= FERRULE_ITEM_NEGATIVE ? FERRULE_ITEM_WIDE : FERRULE_ITEM_BAD;
  if (major == FERRULE_ITEM_BYTES || major == FERRULE_ITEM_TEXT) {
    if (argument > (uint16_t)(ferrule_in.end - ferrule_in.at)) return FERRULE_ITEM_BAD;
    ferrule_in.bytes = ferrule_in.at;
    ferrule_in.at += (uint16_t)argument;
  }
  /* A tag, 6, is bad. */
  return major;
}

uint8_t ferrule_next(void) { return ferrule_in.type = read_item(); }

uint16_t ferrule_argument16(void) {
  return ferrule_in.argument >> 16 != 0 ? 0xFFFF : (uint16_t)ferrule_in.argument;
}

bool ferrule_skip(void) {
  /* A counter is enough for any depth, and there is no stack to overflow. */
  uint16_t left = 1;
  do {
    const uint8_t type = ferrule_next();
    if (type == FERRULE_ITEM_BAD) return false;
    if (type == FERRULE_ITEM_ARRAY || type == FERRULE_ITEM_MAP) {
      const uint16_t room = (uint16_t)(ferrule_in.end - ferrule_in.at);
      /* Each member takes a byte at least: what claims more is cut, and would overflow the counter. */
      const uint16_t members = ferrule_argument16();
      if (members > room) return false;
      left = (uint16_t)(left + members);
      if (type == FERRULE_ITEM_MAP) left = (uint16_t)(left + members);
      if (left > room + 1) return false;
    }
  } while (--left > 0);
  return true;
}
