/*
 * A device as a child process. Commands come in as lines, and each is answered with lines that end with ".":
 *
 *   b HEX      bytes of the line; then one poll
 *   t MS       so much time passes, with a poll each millisecond
 *   s N VALUE  what sensor N gives from now on: a number, "later" or "fail"
 *
 *   o HEX      bytes that it wrote
 *   m N R V…   actuator N was given the values V, for the reason R (0: a call)
 */
#ifndef DRIVER_H
#define DRIVER_H

#include "ferrule/device.h"

#define DRIVER_SENSORS 8

/** What sensors give, by their number. */
extern int32_t driver_values[DRIVER_SENSORS];
/** 0: there is a value; otherwise the status that the sensor gives instead. */
extern ferrule_status driver_status[DRIVER_SENSORS];

/** Notes a move of an actuator. */
void driver_moved(int number, const ferrule_call *call, int count);

/** The board's device, with all that it has. */
ferrule_device *driver_device(void);

/** The clock of the test. */
uint32_t driver_now(void);

/** Runs a board until the end of the input; the first word says how often it was started before. */
int driver_run(int count, char **words);

#endif
