#include "cbor.h"

#define HALF 25
#define SINGLE 26
#define DOUBLE 27

static uint32_t widened(uint16_t half) {
  const uint32_t sign = (uint32_t)(half & 0x8000) << 16;
  uint16_t exponent = (half >> 10) & 0x1F;
  uint16_t fraction = half & 0x3FF;
  if (exponent == 0) {
    if (fraction == 0) return sign;
    /* Below the smallest normal half; as a single it is a normal one. */
    exponent = 1;
    while ((fraction & 0x400) == 0) {
      fraction = (uint16_t)(fraction << 1);
      exponent--;
    }
    fraction &= 0x3FF;
  }
  return sign | ((uint32_t)(uint16_t)(exponent + 112) << 23) | ((uint32_t)fraction << 13);
}

static void read_simple(uint8_t head, ferrule_item *item) {
  const uint8_t which = head & 0x1F;
  if (which == DOUBLE) {
    item->type = FERRULE_ITEM_DOUBLE;
  } else if (which == SINGLE) {
    item->type = FERRULE_ITEM_SINGLE;
  } else if (which == HALF) {
    item->type = FERRULE_ITEM_SINGLE;
    /* Not a number and the infinities. */
    if ((item->argument & 0x7C00) == 0x7C00) item->type = FERRULE_ITEM_BAD;
    item->argument = widened((uint16_t)item->argument);
  } else {
    item->type = which >= 20 && which <= 22 ? (uint8_t)(FERRULE_ITEM_FALSE + which - 20) : FERRULE_ITEM_BAD;
  }
  if (item->type == FERRULE_ITEM_SINGLE && (item->argument & 0x7F800000) == 0x7F800000) item->type = FERRULE_ITEM_BAD;
}

static void read_item(ferrule_cursor *cursor, ferrule_item *item) {
  item->type = FERRULE_ITEM_BAD;
  item->is_wide = false;
  if (cursor->at == cursor->end) return;
  const uint8_t head = *cursor->at++;
  const uint8_t major = head >> 5;
  const uint8_t size_code = head & 0x1F;
  uint32_t high = 0;
  uint32_t argument = size_code;
  if (size_code >= 24) {
    if (size_code > 27) return;
    uint8_t size = (uint8_t)(1 << (size_code - 24));
    if (size > cursor->end - cursor->at) return;
    argument = 0;
    for (uint8_t left = size; left > 0; left--) {
      if (size == 8 && left == 4) {
        high = argument;
        argument = 0;
      }
      argument = argument << 8 | *cursor->at++;
    }
    /* Longer than needed: every value has one form only. */
    if (major != 7 &&
        (size == 1 ? argument < 24 : size == 2 ? argument < 0x100 : size == 4 ? argument < 0x10000 : high == 0)) {
      return;
    }
  }
  item->argument = argument;
  if (major == 7) {
    read_simple(head, item);
    if (size_code == 27 && (high & 0x7FF00000) == 0x7FF00000) item->type = FERRULE_ITEM_BAD;
    return;
  }
  if (high != 0) {
    /* Integers go up to 2^53 - 1; a string or an array of that length is not here. */
    if (major > FERRULE_ITEM_NEGATIVE || high > 0x1FFFFF) return;
    if (major == FERRULE_ITEM_NEGATIVE && high == 0x1FFFFF && argument == 0xFFFFFFFF) return;
    item->is_wide = true;
  }
  if (major == 6) return;
  if (major == FERRULE_ITEM_BYTES || major == FERRULE_ITEM_TEXT) {
    if (argument > (uint32_t)(cursor->end - cursor->at)) return;
    item->bytes = cursor->at;
    cursor->at += argument;
  }
  item->type = major;
}

void ferrule_item_read(ferrule_cursor *cursor, ferrule_item *item) {
  read_item(cursor, item);
  if (item->type == FERRULE_ITEM_BAD) cursor->at = cursor->end;
}

bool ferrule_item_skip(ferrule_cursor *cursor) {
  /* A counter is enough for any depth, and there is no stack to overflow. */
  uint16_t left = 1;
  while (left-- > 0) {
    ferrule_item item;
    ferrule_item_read(cursor, &item);
    if (item.type == FERRULE_ITEM_BAD) return false;
    if (item.type == FERRULE_ITEM_ARRAY || item.type == FERRULE_ITEM_MAP) {
      /* Each member takes a byte at least: what claims more is cut, and would overflow the counter. */
      if (item.argument > (uint32_t)(cursor->end - cursor->at)) return false;
      left = (uint16_t)(left + item.argument);
      if (item.type == FERRULE_ITEM_MAP) left = (uint16_t)(left + item.argument);
      if (left > (uint32_t)(cursor->end - cursor->at)) return false;
    }
  }
  return true;
}

bool ferrule_integer_of(const ferrule_item *item, int32_t *value) {
  if (item->type > FERRULE_ITEM_NEGATIVE || item->is_wide || item->argument > INT32_MAX) return false;
  *value = item->type == FERRULE_ITEM_POSITIVE ? (int32_t)item->argument : -1 - (int32_t)item->argument;
  return true;
}
