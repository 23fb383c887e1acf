#include "number.h"

#include <stddef.h>

uint32_t ferrule_single(int32_t number, uint8_t decimals) {
  if (number == 0) return 0;
  const uint32_t sign = number < 0 ? 0x80000000 : 0;
  uint32_t rest = number < 0 ? 0 - (uint32_t)number : (uint32_t)number;
  uint32_t divisor = 1;
  while (decimals-- > 0) divisor *= 10;
  /* Brought to 1 <= rest / divisor < 2, the quotient is found bit by bit, as on paper. */
  uint8_t exponent = 127;
  while (rest < divisor) {
    rest <<= 1;
    exponent--;
  }
  while (divisor <= rest >> 1) {
    divisor <<= 1;
    exponent++;
  }
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
  return sign | ((((uint32_t)exponent - 1) << 23) + bits);
}

static bool times_ten(int32_t *number, uint8_t plus) {
  if (*number > (INT32_MAX - 9) / 10 || *number < (INT32_MIN + 9) / 10) return false;
  *number = *number * 10 + (*number < 0 ? -(int32_t)plus : (int32_t)plus);
  return true;
}

bool ferrule_rescaled(int32_t *number, uint8_t from, uint8_t to) {
  for (; from < to; from++) {
    if (!times_ten(number, 0)) return false;
  }
  for (; from > to; from--) {
    const int32_t whole = *number / 10;
    *number = *number < whole * 10 ? whole - 1 : whole;
  }
  return true;
}

static uint8_t of_single(uint32_t bits, uint8_t decimals, uint8_t ending, int32_t *number, bool *is_exact) {
  const bool is_negative = (bits & 0x80000000) != 0;
  const uint8_t exponent = (uint8_t)(bits >> 23);
  const uint32_t mantissa = (bits & 0x7FFFFF) | (exponent == 0 ? 0 : 0x800000);
  /* The part before the point, and what is behind it as so many 2^-32. */
  uint32_t whole = 0;
  uint32_t behind = 0;
  if (exponent >= 150) {
    if (exponent > 157) return 4;
    whole = mantissa << (exponent - 150);
  } else {
    const uint8_t down = (uint8_t)(150 - exponent);
    if (down < 24) whole = mantissa >> down;
    if (down <= 32) behind = mantissa << (32 - down);
    else if (down < 64) behind = mantissa >> (down - 32);
    if (behind == 0 && whole == 0 && mantissa != 0) behind = 1;
  }
  if (whole > INT32_MAX) return 4;
  int32_t result = (int32_t)whole;
  while (decimals-- > 0) {
    uint32_t low = (behind & 0xFFFF) * 10;
    const uint32_t high = (behind >> 16) * 10 + (low >> 16);
    behind = high << 16 | (low & 0xFFFF);
    if (!times_ten(&result, (uint8_t)(high >> 16))) return 4;
  }
  if (is_exact != NULL) *is_exact = behind == 0;
  if (behind >= (ending == FERRULE_NEAREST ? 0x80000000 : 0xFFC00000)) {
    if (result == INT32_MAX) return 4;
    result++;
  }
  *number = is_negative ? -result : result;
  return 0;
}

uint8_t ferrule_number_of(const ferrule_item *item, uint8_t decimals, uint8_t ending, int32_t *number, bool *is_exact) {
  if (item->type == FERRULE_ITEM_SINGLE) return of_single(item->argument, decimals, ending, number, is_exact);
  if (item->type > FERRULE_ITEM_NEGATIVE) return 3;
  if (is_exact != NULL) *is_exact = true;
  return ferrule_integer_of(item, number) && ferrule_rescaled(number, 0, decimals) ? 0 : 4;
}

/* Singles compare as integers do, once the negative ones are turned round. */
static uint32_t ordered(uint32_t single) {
  if (single == 0x80000000) single = 0;
  return (single & 0x80000000) != 0 ? ~single : single | 0x80000000;
}

int8_t ferrule_compare(const ferrule_item *item, int32_t number, uint8_t decimals) {
  if (item->type == FERRULE_ITEM_SINGLE) {
    const uint32_t a = ordered(item->argument);
    const uint32_t b = ordered(ferrule_single(number, decimals));
    return a < b ? -1 : a > b;
  }
  int32_t integer;
  if (!ferrule_integer_of(item, &integer)) return item->type == FERRULE_ITEM_NEGATIVE ? -1 : 1;
  int32_t whole = number;
  (void)ferrule_rescaled(&whole, decimals, 0);
  if (integer != whole) return integer < whole ? -1 : 1;
  /* Equal to the whole part: below the number when there is something behind the point. */
  int32_t again = whole;
  return ferrule_rescaled(&again, 0, decimals) && again == number ? 0 : -1;
}
