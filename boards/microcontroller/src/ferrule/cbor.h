/*
 * Reads what a host may send: the CBOR profile of docs/link.md, section 3. Keeps nothing and copies nothing.
 *
 * There is one reader, since a device reads one message at a time: on an 8-bit chip a pointer to a reader in every call
 * would cost a third more flash.
 */
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
  /** Nothing that the profile allows, or nothing at all. */
  FERRULE_ITEM_BAD,
  FERRULE_ITEM_HALF,
  FERRULE_ITEM_SINGLE,
  FERRULE_ITEM_FALSE,
  FERRULE_ITEM_TRUE,
  FERRULE_ITEM_NULL,
  /** An integer beyond 32 bits or a double: what no device here takes. */
  FERRULE_ITEM_WIDE
};

/** The reader, and the item that it read last. */
typedef struct ferrule_reader {
  const uint8_t *at;
  const uint8_t *end;
  /** Where the bytes of a string begin. */
  const uint8_t *bytes;
  /** The value (a negative one as -1 - value), the length, or the bits of a half or single. */
  uint32_t argument;
  uint8_t type;
} ferrule_reader;

extern ferrule_reader ferrule_in;

/** Reads one item: a string whole, of an array or a map its head. Returns its type. */
uint8_t ferrule_next(void);

/** The argument of the item that was read last, where no more than 16 bits are of use: at most FFFF. */
uint16_t ferrule_argument16(void);

/** Skips one item with all that is in it. False when the profile does not allow it, or it is cut. */
bool ferrule_skip(void);

#ifdef __cplusplus
}
#endif
#endif
