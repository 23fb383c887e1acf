#include "number.h"

ferrule_number_read ferrule_given;

uint32_t ferrule_single(int32_t number, uint8_t decimals) {
  uint32_t rest = number < 0 ? 0 - (uint32_t)number : (uint32_t)number;
  uint32_t divisor = 1;
  for (; decimals > 0; decimals--) divisor *= 10;
  if (rest == 0) return 0;
  /* Brought to 1 <= rest / divisor < 2, the quotient is found bit by bit, as on paper. */
  uint8_t exponent = 127;
  for (; rest < divisor; exponent--) rest <<= 1;
  for (; divisor <= rest >> 1; exponent++) divisor <<= 1;
  uint32_t bits = 0;
  for (uint8_t left = 24; left > 0; left--) {
    bits <<= 1;
    if (rest >= divisor) {
      rest -= divisor;
      bits |= 1;
    }
    rest <<= 1;
  }
  /* `rest` is twice what is left. */
  if (rest > divisor || (rest == divisor && (bits & 1) != 0)) bits++;
  /* The leading one of the bits raises the exponent by one; so does a carry out of them. */
  bits += (uint32_t)(uint8_t)(exponent - 1) << 23;
  return number < 0 ? bits | 0x80000000 : bits;
}

uint8_t ferrule_take_number(uint8_t decimals) {
  const uint8_t code = ferrule_take_integer(decimals);
  uint32_t bits = ferrule_in.argument;
  int32_t value = ferrule_given.value;
  if (ferrule_in.type == FERRULE_ITEM_HALF) {
    /* As a single. Halves below 2^-14 come out as something else of that size, which is as good as 0 here. */
    const uint16_t size = (uint16_t)bits & 0x7FFF;
    if (size >= 0x7C00) return 3;
    bits = (uint32_t)size << 13;
    if (size != 0) bits += (uint32_t)112 << 23;
    if ((ferrule_in.argument & 0x8000) != 0) bits |= 0x80000000;
  } else if (ferrule_in.type != FERRULE_ITEM_SINGLE) {
    for (; decimals > 0; decimals--) {
      if (value > INT32_MAX / 10 || value < -INT32_MAX / 10) return 4;
      value *= 10;
    }
    ferrule_given.value = value;
    return code;
  }
  /*
   * The number is the one whose single this is, or the next one towards 0. It is looked for bit by bit: singles compare as
   * integers do. That takes some milliseconds on an 8-bit chip, and half the flash of a conversion.
   */
  const uint32_t size = bits & 0x7FFFFFFF;
  if (size >= 0x7F800000) return 3;
  value = 0;
  for (int32_t bit = 0x40000000; bit > 0; bit >>= 1) {
    if (ferrule_single(value | bit, decimals) <= size) value |= bit;
  }
  if (value == INT32_MAX) return 4;
  int8_t excess = ferrule_single(value, decimals) != size;
  if (size != bits) {
    value = -value;
    excess = (int8_t)-excess;
  }
  ferrule_given.value = value;
  ferrule_given.excess = excess;
  return 0;
}

uint8_t ferrule_take_integer(uint8_t unused) {
  (void)unused;
  const uint8_t type = ferrule_in.type;
  int32_t value = (int32_t)ferrule_in.argument;
  if (type > FERRULE_ITEM_NEGATIVE) return type == FERRULE_ITEM_WIDE ? 4 : 3;
  if (value < 0) return 4;
  if (type == FERRULE_ITEM_NEGATIVE) value = ~value;
  ferrule_given.value = value;
  ferrule_given.excess = 0;
  return 0;
}
