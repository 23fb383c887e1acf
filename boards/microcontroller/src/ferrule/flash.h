/* Constants where they cost no RAM: in flash on AVR, plain `const` everywhere else. */
#ifndef FERRULE_FLASH_H
#define FERRULE_FLASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** In front of a function that is smaller as a call than where it is called. */
#if defined(__GNUC__)
#define FERRULE_CALLED __attribute__((noinline))
#else
#define FERRULE_CALLED
#endif

#if defined(__AVR__)
#include <avr/pgmspace.h>
/** Behind a constant: it lives in flash. */
#define FERRULE_FLASH PROGMEM
/** A text that lives in flash, for use within a function. */
#define FERRULE_T(text) PSTR(text)
#define ferrule_from_flash(to, from, size) memcpy_P((to), (from), (size))
#define ferrule_flash_byte(at) pgm_read_byte(at)
#define ferrule_flash_length(text) strlen_P(text)
#define ferrule_flash_pointer(at) ((const void *)pgm_read_word(at))
#define ferrule_flash_function(type, at) ((type *)pgm_read_word(at))
#else
#define FERRULE_FLASH
#define FERRULE_T(text) (text)
#define ferrule_from_flash(to, from, size) memcpy((to), (from), (size))
#define ferrule_flash_byte(at) (*(const uint8_t *)(at))
#define ferrule_flash_length(text) strlen(text)
#define ferrule_flash_pointer(at) (*(const void *const *)(at))
#define ferrule_flash_function(type, at) (*(type *const *)(at))
#endif

#endif
