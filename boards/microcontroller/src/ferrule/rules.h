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

/**
 * Checks against the member that was found last: of an argument the one that was read last, and `what` is all of its
 * members; of an actuator `what` is a ferrule_move. Returns an error code of the link, or 0.
 */
typedef uint8_t ferrule_check(const void *what);
typedef struct ferrule_argument_rule {
  ferrule_check *check;
} ferrule_argument_rule;

/** The memory for a new call where there is one place, and where there are several; NULL when none is free. */
ferrule_slot *ferrule_only_place(ferrule_device *device, const uint8_t *open);
ferrule_slot *ferrule_any_place(ferrule_device *device, const uint8_t *open);

/** What an actuator is about to be given, other than its safe values: those no rule refuses. */
typedef struct ferrule_move {
  ferrule_device *device;
  const ferrule_actuator *actuator;
  const int32_t *values;
} ferrule_move;

/** What keeps an actuator to a member. */
typedef void ferrule_start(ferrule_device *device, ferrule_actuator *actuator);
typedef struct ferrule_actuator_rule {
  ferrule_check *check;
  /** Called at boot for a rule that does more than check; NULL otherwise. */
  ferrule_start *start;
} ferrule_actuator_rule;

/** Takes the item that was read last as an argument of a type. Returns an error code of the link, or 0. */
typedef uint8_t ferrule_take(uint8_t decimals);
/** Writes a number of a type: as that number, or as what it stands for. */
typedef void ferrule_put_value(ferrule_device *device, int32_t number, uint8_t decimals);
typedef struct ferrule_type {
  ferrule_take *take;
  ferrule_put_value *put;
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
extern const ferrule_argument_rule ferrule_rule_optional;
extern const ferrule_actuator_rule ferrule_rule_initial;
extern const ferrule_actuator_rule ferrule_rule_interval;
extern const ferrule_actuator_rule ferrule_rule_hold;
extern const ferrule_actuator_rule ferrule_rule_rate;
extern const ferrule_actuator_rule ferrule_rule_group;
extern const ferrule_actuator_rule ferrule_rule_arming;

#ifdef __cplusplus
}
#endif
#endif
