/*
 * How a sketch declares what its device has. Everything that these macros make is a constant in flash, but for the state
 * of each sensor and actuator.
 *
 * All numbers are whole ones, in the units of the code: with FERRULE_NUMBER(1), of which 225 is 22.5, the range from 5 to
 * 30.5 is FERRULE_RANGE(50, 305).
 */
#ifndef FERRULE_DECLARE_H
#define FERRULE_DECLARE_H

#include "rules.h"

/* ---- What there is -------------------------------------------------------------------------------------------- */

/**
 * Declares a sensor: its name (also that of the object), title, unit of the SenML registry ("" for none), read function,
 * and members, first of all its type. Without a title, "".
 */
#define FERRULE_SENSOR(id, title, unit, read_function, ...)                                                   \
  FERRULE_TEXTS(sensor_##id, #id, title, unit);                                                               \
  static const ferrule_member ferrule_members_##id[] FERRULE_FLASH = {__VA_ARGS__, FERRULE_NAMED(sensor_##id)}; \
  static ferrule_sensor id = {{ferrule_members_##id, NULL}, read_function, 0, 0, 0, 0, 0, 0, 0}

/** Declares an argument: its name, title, unit, and members, first of all its type. Several actuators may take it. */
#define FERRULE_ARGUMENT(id, title, unit, ...) FERRULE_NAMED_ARGUMENT(id, #id, title, unit, __VA_ARGS__)
/** The same with a name of its own, for arguments of the same name that differ. */
#define FERRULE_NAMED_ARGUMENT(id, name, title, unit, ...)              \
  FERRULE_TEXTS(argument_##id, name, title, unit);                      \
  static const ferrule_member ferrule_argument_##id[] FERRULE_FLASH = {__VA_ARGS__, FERRULE_NAMED(argument_##id)}

/**
 * Declares an actuator: its name (also that of the object), title, set function, FERRULE_TAKES(arguments), and members,
 * first of all its safe value.
 */
#define FERRULE_ACTUATOR(id, title, set_function, takes, ...)                                                          \
  FERRULE_TEXTS(actuator_##id, #id, title, "");                                                                        \
  static const ferrule_member ferrule_members_##id[] FERRULE_FLASH = {__VA_ARGS__, FERRULE_NAMED(actuator_##id)};       \
  static const ferrule_member *const ferrule_takes_##id[] FERRULE_FLASH = {takes, NULL};                               \
  static int32_t ferrule_values_##id[2 * (sizeof ferrule_takes_##id / sizeof ferrule_takes_##id[0] - 1)];              \
  static ferrule_actuator id = {{ferrule_members_##id, NULL}, set_function, ferrule_takes_##id, ferrule_values_##id,     \
                                NULL, 0, 0, 0, 0, 0, 0}

/** The arguments of an actuator, one to eight, in the order of its calls. */
#define FERRULE_TAKES(...) FERRULE_EACH(FERRULE_ONE_ARGUMENT, __VA_ARGS__)
/** An actuator without arguments. */
#define FERRULE_TAKES_NOTHING NULL

/** Declares the device: its name (also that of the object), title, and the version of its firmware. */
#define FERRULE_DEVICE(id, title, version) FERRULE_DEVICE_OF(id, id, title, version, 64, 1, ferrule_only_place, FERRULE_NO_MORE)

/**
 * The same with the size of its buffer, which is the largest frame it takes (48 to 1024 bytes), how many calls may run at
 * a time (1 to 16), and members: FERRULE_DESCRIPTION, FERRULE_UNIQUE_ID, or FERRULE_NO_MORE.
 */
#define FERRULE_SIZED_DEVICE(id, title, version, frame_bytes, calls, ...) \
  FERRULE_DEVICE_OF(id, id, title, version, frame_bytes, calls, ferrule_any_place, __VA_ARGS__)

/* ---- Types: the first member of a sensor or an argument -------------------------------------------------------- */

/** Whole numbers of 32 bits. */
#define FERRULE_INTEGER FERRULE_TYPE(1, 0, &ferrule_type_integer)
/** Numbers with so many decimals, 0 to 6: the code sees them as whole ones, 22.5 with one decimal as 225. */
#define FERRULE_NUMBER(decimals) FERRULE_TYPE(0, decimals, &ferrule_type_number)
/** True or false. */
#define FERRULE_BOOLEAN FERRULE_TYPE(2, 0, &ferrule_type_boolean)
/** Text in UTF-8. */
#define FERRULE_STRING FERRULE_TYPE(3, 0, &ferrule_type_text)
/** Bytes. */
#define FERRULE_BYTES FERRULE_TYPE(4, 0, &ferrule_type_bytes)

/* ---- Members of all -------------------------------------------------------------------------------------------- */

/** Declares a text in flash that a member can refer to. */
#define FERRULE_TEXT(id, text) static const char id[] FERRULE_FLASH = text
/** What the model is told: a FERRULE_TEXT. */
#define FERRULE_DESCRIPTION(text) FERRULE_MEMBER(FERRULE_KEY_DESCRIPTION, FERRULE_FORM_TEXT, 0, text)
/** Nothing, where a macro asks for a member. */
#define FERRULE_NO_MORE FERRULE_MEMBER(FERRULE_KEY_NOTHING, 0, 0, NULL)
/** Of the device: what no other device has, a FERRULE_TEXT. */
#define FERRULE_UNIQUE_ID(text) FERRULE_MEMBER(FERRULE_KEY_UNIQUE_ID, FERRULE_FORM_TEXT, 0, text)

/* ---- Members of sensors and arguments --------------------------------------------------------------------------- */

/** The least and the largest value. Arguments beyond them are refused. */
#define FERRULE_RANGE(minimum, maximum) FERRULE_MINIMUM(minimum), FERRULE_MAXIMUM(maximum)
#define FERRULE_MINIMUM(x) FERRULE_NUMERIC(FERRULE_KEY_MINIMUM, 0, x, &ferrule_rule_minimum)
#define FERRULE_MAXIMUM(x) FERRULE_NUMERIC(FERRULE_KEY_MAXIMUM, 0, x, &ferrule_rule_maximum)

/* ---- Members of sensors ----------------------------------------------------------------------------------------- */

/** The sensor has a new value at most so often, in ms. It is not looked at more often while it is watched. */
#define FERRULE_NEW_VALUE_EVERY(ms) FERRULE_WHOLE(FERRULE_KEY_TTL, ms, NULL)
/** Smaller changes are not told, unless a host asks for them. */
#define FERRULE_DEAD_BAND(x) FERRULE_NUMERIC(FERRULE_KEY_DEAD_BAND, 0, x, NULL)
/** Changes are told at most so often, in ms, unless a host asks otherwise; 1000 when left out. */
#define FERRULE_LEAST_INTERVAL(ms) FERRULE_WHOLE(FERRULE_KEY_INTERVAL, ms, NULL)
/** A device class of Home Assistant: a FERRULE_TEXT. */
#define FERRULE_DEVICE_CLASS(text) FERRULE_MEMBER(FERRULE_KEY_DEVICE_CLASS, FERRULE_FORM_TEXT, 0, text)
/** 0 measurement, 1 total, 2 total that only rises. */
#define FERRULE_STATE_CLASS(number) FERRULE_WHOLE(FERRULE_KEY_STATE_CLASS, number, NULL)

/* ---- Members of sensors and actuators --------------------------------------------------------------------------- */

/** The longest time in ms that a reading (10 000 when left out) or a move (60 000) takes. Then it is broken off. */
#define FERRULE_LONGEST_TIME(ms) FERRULE_WHOLE(FERRULE_KEY_TIME, ms, NULL)

/* ---- Members of arguments --------------------------------------------------------------------------------------- */

/** All numbers that are allowed, one to eight. */
#define FERRULE_VALUES(...) FERRULE_ONE_OF, FERRULE_EACH(FERRULE_ONE_VALUE, __VA_ARGS__)
/** All texts that are allowed, one to eight FERRULE_TEXTs. */
#define FERRULE_CHOICES(...) FERRULE_ONE_OF, FERRULE_EACH(FERRULE_ONE_CHOICE, __VA_ARGS__)
/** Numbers come in steps of this. Told only. */
#define FERRULE_STEP(x) FERRULE_NUMERIC(FERRULE_KEY_STEP, 0, x, NULL)
/** May be left out, and is 0, false or empty then. */
#define FERRULE_OPTIONAL FERRULE_MEMBER(FERRULE_KEY_OPTIONAL, FERRULE_FORM_BOOLEAN | FERRULE_FORM_PLAIN, 1, &ferrule_rule_optional)
/** May be left out, and is this then. */
#define FERRULE_DEFAULT(x) FERRULE_OPTIONAL, FERRULE_NUMERIC(FERRULE_KEY_INITIAL, 0, x, NULL)
/** The most characters of a text, or bytes. */
#define FERRULE_LONGEST(count) FERRULE_WHOLE(FERRULE_KEY_LONGEST, count, &ferrule_rule_longest)

/* ---- Members of actuators --------------------------------------------------------------------------------------- */

/** The arguments of the safe value, one for each argument. */
#define FERRULE_SAFE(...) FERRULE_EACH(FERRULE_ONE_SAFE, __VA_ARGS__)
/** An actuator without arguments is made safe by a call of it. */
#define FERRULE_SAFE_IS_A_CALL FERRULE_MEMBER(FERRULE_KEY_SAFE, FERRULE_FORM_ARRAY | FERRULE_FORM_NULL, 0, NULL)
/** There is no safe value, on purpose. What runs is still told to end: see `ferrule_call`. */
#define FERRULE_NO_SAFE_VALUE FERRULE_MEMBER(FERRULE_KEY_SAFE, FERRULE_FORM_NULL, 0, NULL)
/** The arguments at boot; the safe value when left out. */
#define FERRULE_INITIAL(...) FERRULE_EACH(FERRULE_ONE_INITIAL, __VA_ARGS__)
/** The sum of: what it does can be undone; twice is as once; it reaches nothing beyond the device. Else it is dangerous. */
#define FERRULE_UNDOABLE 1
#define FERRULE_IDEMPOTENT 2
#define FERRULE_CLOSED 4
#define FERRULE_HINTS(bits) FERRULE_WHOLE(FERRULE_KEY_HINTS, bits, NULL)
#define FERRULE_HARMLESS FERRULE_HINTS(FERRULE_UNDOABLE + FERRULE_IDEMPOTENT + FERRULE_CLOSED)
/** Least time from one move to the next, in ms. */
#define FERRULE_REST(ms) FERRULE_WHOLE(FERRULE_KEY_INTERVAL, ms, &ferrule_rule_interval)
/** The longest time away from the safe value, in ms. */
#define FERRULE_HOLD_FOR(ms) FERRULE_WHOLE(FERRULE_KEY_HOLD, ms, &ferrule_rule_hold)
/** The most that each number may change in a second. */
#define FERRULE_RATE(x) FERRULE_NUMERIC(FERRULE_KEY_RATE, 0, x, &ferrule_rule_rate)
/** Of one group, only one may be away from its safe value. */
#define FERRULE_GROUP(number) FERRULE_WHOLE(FERRULE_KEY_GROUP, number, &ferrule_rule_group)
/** Stays off after a stop, a lost link or a restart until a person arms it. */
#define FERRULE_ARMING FERRULE_MEMBER(FERRULE_KEY_ARMING, FERRULE_FORM_BOOLEAN | FERRULE_FORM_PLAIN, 1, &ferrule_rule_arming)
/** A person is asked: 0 never, 1 the first time, 2 each time. The host sees to it. */
#define FERRULE_CONFIRM(number) FERRULE_WHOLE(FERRULE_KEY_CONFIRM, number, NULL)
/** Not for the model. The host sees to it. */
#define FERRULE_PERSON_ONLY FERRULE_WHOLE(FERRULE_KEY_AUDIENCE, 1, NULL)
/** The number of the sensor that shows the effect. */
#define FERRULE_READBACK(sensor) FERRULE_WHOLE(FERRULE_KEY_READBACK, sensor, NULL)

/* ---- How they are made: nothing below is for sketches ------------------------------------------------------------ */

/** The keys of the link's description (section 8). Those from 64 on never travel as such. */
enum {
  FERRULE_KEY_NAME = 1,
  FERRULE_KEY_TITLE = 2,
  FERRULE_KEY_DESCRIPTION = 3,
  FERRULE_KEY_TYPE = 4,
  FERRULE_KEY_UNIT = 5,
  FERRULE_KEY_MINIMUM = 6,
  FERRULE_KEY_MAXIMUM = 7,
  FERRULE_KEY_STEP = 8,
  FERRULE_KEY_VALUES = 9,
  FERRULE_KEY_TTL = 10,
  FERRULE_KEY_DEAD_BAND = 11,
  FERRULE_KEY_INTERVAL = 12,
  FERRULE_KEY_TIME = 13,
  FERRULE_KEY_HINTS = 14,
  FERRULE_KEY_OPTIONAL = 15,
  FERRULE_KEY_INITIAL = 16,
  FERRULE_KEY_LONGEST = 17,
  FERRULE_KEY_SAFE = 18,
  FERRULE_KEY_HOLD = 19,
  FERRULE_KEY_RATE = 20,
  FERRULE_KEY_GROUP = 21,
  FERRULE_KEY_CONFIRM = 22,
  FERRULE_KEY_AUDIENCE = 23,
  FERRULE_KEY_READBACK = 24,
  FERRULE_KEY_ARMING = 25,
  FERRULE_KEY_DEVICE_CLASS = 28,
  FERRULE_KEY_STATE_CLASS = 29,
  /* What stands in for a key of the description, which it is found by, and is not told there. */
  FERRULE_KEY_BITS = 63,
  FERRULE_KEY_TYPE_NUMBER = 64 + FERRULE_KEY_TYPE,
  FERRULE_KEY_ONE_OF = 64 + 58,
  FERRULE_KEY_DEVICE = 64 + FERRULE_KEY_NAME,
  FERRULE_KEY_UNIQUE_ID = 64 + 61,
  FERRULE_KEY_VERSION = 64 + 62,
  FERRULE_KEY_NOTHING = 64 + 63
};

/** What a member's value is. `PLAIN` is what has no decimals, whatever its sensor or argument has. */
enum {
  FERRULE_FORM_DECIMALS = 0x07,
  FERRULE_FORM_PLAIN = 0x08,
  FERRULE_FORM_TEXT = 0x10,
  FERRULE_FORM_BOOLEAN = 0x20,
  FERRULE_FORM_NULL = 0x40,
  FERRULE_FORM_ARRAY = 0x80
};

#define FERRULE_DEVICE_OF(object, id, title, version, frame_bytes, calls, place, ...)                                     \
  FERRULE_TEXTS(device_##id, #id, title, "");                                                                       \
  static const char ferrule_version_##id[] FERRULE_FLASH = version;                                                 \
  static const ferrule_member ferrule_members_##id[] FERRULE_FLASH = {                                              \
      FERRULE_MEMBER(FERRULE_KEY_VERSION, FERRULE_FORM_TEXT, 0, ferrule_version_##id), __VA_ARGS__,                  \
      FERRULE_MEMBER(FERRULE_KEY_DEVICE, FERRULE_FORM_TEXT, 0, ferrule_text_device_##id)};                           \
  static uint8_t ferrule_buffer_##id[frame_bytes];                                                                  \
  static ferrule_slot ferrule_slots_##id[calls];                                                                    \
  static ferrule_device object = {ferrule_members_##id, ferrule_slots_##id, calls, place,                             \
                              {ferrule_buffer_##id, frame_bytes, 0, 0, 0},                                          \
                              5000, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, false, 0,                      \
                                  FERRULE_SAID_ARMED, {0, 0, 0, frame_bytes, calls, 0, 0}}

#define FERRULE_MEMBER(key, form, number, at) \
  { (uint8_t)(key), (uint8_t)(form), (int32_t)(number), (at) }
#define FERRULE_TYPE(type, decimals, taker) \
  FERRULE_MEMBER((type) != 0 ? FERRULE_KEY_TYPE : FERRULE_KEY_TYPE_NUMBER, (decimals) | FERRULE_FORM_PLAIN, type, taker)

/* A list of members ends with the name: one that says no more than that it ends would take 8 bytes in each. */
/* Name, title and unit are one text with zeros between: a pointer less for each. What is empty is not told. */
#define FERRULE_TEXTS(id, name, title, unit) \
  static const char ferrule_text_##id[] FERRULE_FLASH = name "\0" title "\0" unit
#define FERRULE_NAMED(id) FERRULE_MEMBER(FERRULE_KEY_NAME, FERRULE_FORM_TEXT, 0, ferrule_text_##id)

/*
 * A number in the units of the sensor or argument, and one that is always whole. A fraction does not compile: it would be
 * cut off without a word where somebody wrote 60.5 for what is 605 in the units of the code.
 */
#define FERRULE_NUMERIC(key, form, x, rule) FERRULE_MEMBER(key, form, (x) | 0, rule)
#define FERRULE_WHOLE(key, x, rule) FERRULE_MEMBER(key, FERRULE_FORM_PLAIN, (x) | 0, rule)

#define FERRULE_ONE_ARGUMENT(id) ferrule_argument_##id
#define FERRULE_ONE_OF FERRULE_MEMBER(FERRULE_KEY_ONE_OF, 0, 0, &ferrule_rule_values)
#define FERRULE_ONE_VALUE(x) FERRULE_NUMERIC(FERRULE_KEY_VALUES, FERRULE_FORM_ARRAY, x, NULL)
#define FERRULE_ONE_CHOICE(text) FERRULE_MEMBER(FERRULE_KEY_VALUES, FERRULE_FORM_ARRAY | FERRULE_FORM_TEXT, 0, text)
#define FERRULE_ONE_SAFE(x) FERRULE_NUMERIC(FERRULE_KEY_SAFE, FERRULE_FORM_ARRAY, x, NULL)
#define FERRULE_ONE_INITIAL(x) FERRULE_NUMERIC(FERRULE_KEY_INITIAL, FERRULE_FORM_ARRAY, x, &ferrule_rule_initial)

#define FERRULE_EACH(make, ...) FERRULE_JOIN(FERRULE_EACH_, FERRULE_COUNT(__VA_ARGS__))(make, __VA_ARGS__)
#define FERRULE_COUNT(...) FERRULE_NINTH(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define FERRULE_NINTH(a, b, c, d, e, f, g, h, ninth, ...) ninth
#define FERRULE_JOIN(a, b) FERRULE_JOIN_(a, b)
#define FERRULE_JOIN_(a, b) a##b
#define FERRULE_EACH_1(make, a) make(a)
#define FERRULE_EACH_2(make, a, ...) make(a), FERRULE_EACH_1(make, __VA_ARGS__)
#define FERRULE_EACH_3(make, a, ...) make(a), FERRULE_EACH_2(make, __VA_ARGS__)
#define FERRULE_EACH_4(make, a, ...) make(a), FERRULE_EACH_3(make, __VA_ARGS__)
#define FERRULE_EACH_5(make, a, ...) make(a), FERRULE_EACH_4(make, __VA_ARGS__)
#define FERRULE_EACH_6(make, a, ...) make(a), FERRULE_EACH_5(make, __VA_ARGS__)
#define FERRULE_EACH_7(make, a, ...) make(a), FERRULE_EACH_6(make, __VA_ARGS__)
#define FERRULE_EACH_8(make, a, ...) make(a), FERRULE_EACH_7(make, __VA_ARGS__)

#endif
