/* Reads what a host may send: the CBOR profile of docs/link.md, section 3. Keeps nothing and copies nothing. */
#ifndef FERRULE_CBOR_H
#define FERRULE_CBOR_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What an item is. The first six are CBOR's major types. */
enum {
  FERRULE_ITEM_POSITIVE,
  FERRULE_ITEM_NEGATIVE,
  FERRULE_ITEM_BYTES,
  FERRULE_ITEM_TEXT,
  FERRULE_ITEM_ARRAY,
  FERRULE_ITEM_MAP,
  FERRULE_ITEM_FALSE,
  FERRULE_ITEM_TRUE,
  FERRULE_ITEM_NULL,
  /** A half or single, as the bits of a single. */
  FERRULE_ITEM_SINGLE,
  /** A double, which no device here takes. */
  FERRULE_ITEM_DOUBLE,
  /** Nothing that the profile allows, or nothing at all. */
  FERRULE_ITEM_BAD
};

/** One item, its members not read. */
typedef struct ferrule_item {
  uint8_t type;
  /** An integer beyond 32 bits with its sign; `argument` says nothing then. */
  bool is_wide;
  /** The value (negative ones as -1 - value), the length, or the bits of a single. */
  uint32_t argument;
  /** Where the bytes of a string begin. */
  const uint8_t *bytes;
} ferrule_item;

/** Where a reader stands. */
typedef struct ferrule_cursor {
  const uint8_t *at;
  const uint8_t *end;
} ferrule_cursor;

/** Reads one item: a string whole, of an array or a map its head. Nothing is left to read behind a bad one. */
void ferrule_item_read(ferrule_cursor *cursor, ferrule_item *item);

/** Skips one item with all that is in it. False when the profile does not allow it, or it is cut. */
bool ferrule_item_skip(ferrule_cursor *cursor);

/** Reads an integer of 32 bits. False, with the item read, for anything else. */
bool ferrule_integer_of(const ferrule_item *item, int32_t *value);

#ifdef __cplusplus
}
#endif
#endif
