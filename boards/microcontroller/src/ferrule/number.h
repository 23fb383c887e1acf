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

/** The single that is nearest to a number, as its bits; of two that are as near the even one. Up to 9 decimals. */
uint32_t ferrule_single(int32_t number, uint8_t decimals);

/**
 * A number with more or fewer decimals. What does not fit any more is cut off, towards minus infinity.
 *
 * @returns false when it is beyond 32 bits
 */
bool ferrule_rescaled(int32_t *number, uint8_t from, uint8_t to);

/** How the end of a number is treated that has more decimals than wanted. What a single only just misses counts as hit. */
enum { FERRULE_NEAREST, FERRULE_DOWN };

/**
 * The number in an item with so many decimals.
 *
 * @param is_exact told whether nothing was cut off; may be NULL
 * @returns 0, 3 (no number, or a double) or 4 (beyond 32 bits), the codes of the link
 */
uint8_t ferrule_number_of(const ferrule_item *item, uint8_t decimals, uint8_t ending, int32_t *number, bool *is_exact);

/** Compares an item, which must be an integer or a single, with a number: below 0, 0, or above 0. */
int8_t ferrule_compare(const ferrule_item *item, int32_t number, uint8_t decimals);

#ifdef __cplusplus
}
#endif
#endif
