/*
 * The ATmega328P at 16 MHz without Arduino, as far as these firmwares need it: a serial line at 115200 baud by
 * interrupts, milliseconds, the converter, the boot count in EEPROM, and a watchdog. Pins keep the datasheet's names.
 */
#ifndef CHIP_H
#define CHIP_H

#include <stdbool.h>
#include <stdint.h>

#include "ferrule/device.h"

/** What the link needs of this chip, for `ferrule_begin`. */
extern const ferrule_platform chip_platform;

/** Sets up the serial line, the clock and the converter, and switches interrupts and the watchdog on. */
void chip_begin(void);

/** Sleeps until a byte comes, 4 ms at most, and tells the watchdog that all is well. */
void chip_rest(void);

/** Milliseconds since the start. */
uint32_t chip_millis(void);

enum { CHIP_SAMPLES = 8, CHIP_FULL_SCALE = CHIP_SAMPLES * 1023 };

/** The sum of several samples of a channel of the converter, 0 to CHIP_FULL_SCALE. Takes half a millisecond. */
uint16_t chip_analog(uint8_t channel);

#endif
