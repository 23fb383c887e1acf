/*
 * What a device enforces of its description. A declared member points to its rule, and nothing else does: a rule that
 * no sketch declares is not in the flash.
 */
#ifndef FERRULE_RULES_H
#define FERRULE_RULES_H

#include "device.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Checks one argument against one member. Returns an error code of the link, or 0. */
typedef struct ferrule_argument_rule {
  uint8_t (*check)(const ferrule_item *item, const ferrule_member *members, const ferrule_member *member);
} ferrule_argument_rule;

/** What an actuator is about to be given, other than its safe values: those no rule refuses. */
typedef struct ferrule_move {
  ferrule_device *device;
  const ferrule_actuator *actuator;
  const int32_t *values;
} ferrule_move;

/** Checks a move against one member. Returns an error code of the link, or 0. */
typedef struct ferrule_actuator_rule {
  uint8_t (*check)(const ferrule_move *move, const ferrule_member *member);
} ferrule_actuator_rule;

/** Takes an argument of a type. Returns an error code of the link, or 0. */
typedef struct ferrule_type {
  uint8_t (*take)(const ferrule_item *item, uint8_t decimals, int32_t *value);
} ferrule_type;

extern const ferrule_type ferrule_type_number;
extern const ferrule_type ferrule_type_integer;
extern const ferrule_type ferrule_type_boolean;
extern const ferrule_type ferrule_type_text;
extern const ferrule_type ferrule_type_bytes;
extern const ferrule_argument_rule ferrule_rule_minimum;
extern const ferrule_argument_rule ferrule_rule_maximum;
extern const ferrule_argument_rule ferrule_rule_values;
extern const ferrule_argument_rule ferrule_rule_longest;
extern const ferrule_actuator_rule ferrule_rule_interval;
extern const ferrule_actuator_rule ferrule_rule_rate;
extern const ferrule_actuator_rule ferrule_rule_group;
extern const ferrule_actuator_rule ferrule_rule_arming;

#ifdef __cplusplus
}
#endif
#endif
