/*
 * Numbers without floating point. A number is a whole one and how many of its last digits stand behind the point: 225
 * with one decimal is 22.5. On the line it is an integer, a half or a single.
 */
#ifndef FERRULE_NUMBER_H
#define FERRULE_NUMBER_H

#include "cbor.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The single that is nearest to a number, as its bits; of two that are as near the even one. At most 9 decimals. */
uint32_t ferrule_single(int32_t number, uint8_t decimals);

/** A number that was read: what is too many of its decimals is cut off, and `excess` tells on which side it was. */
typedef struct ferrule_number_read {
  int32_t value;
  /** 1 above, -1 below, 0 where it is that number, or the single that stands for it. */
  int8_t excess;
} ferrule_number_read;

extern ferrule_number_read ferrule_given;

/**
 * Takes the item that was read last as a number with so many decimals, at most 6, into `ferrule_given`.
 *
 * @returns 0, 3 (no number) or 4 (beyond 32 bits), the codes of the link
 */
uint8_t ferrule_take_number(uint8_t decimals);

/** The same where only whole numbers are taken. A host sends those as integers. */
uint8_t ferrule_take_integer(uint8_t unused);

#ifdef __cplusplus
}
#endif
#endif
