/* Frames: FE, stuffed( message, FCS low, FCS high ), 0A. See docs/link.md, section 2. */
#ifndef FERRULE_FRAME_H
#define FERRULE_FRAME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Starts a frame: never a byte of text in UTF-8. */
#define FERRULE_MARKER 0xFE
/** The FCS before the first byte, and over a whole frame with its check. */
#define FERRULE_FCS_START 0xFFFF
#define FERRULE_FCS_GOOD 0xF0B8

/** The FCS-16 of RFC 1662, one byte further. */
uint16_t ferrule_fcs(uint16_t fcs, uint8_t byte);

/** What a byte of a message is on the line: itself, or with FERRULE_ESCAPED set, 7D and the lower byte. */
#define FERRULE_ESCAPED 0x7D00
uint16_t ferrule_stuffed(uint8_t byte);

/** Takes frames from the line, byte by byte, into one buffer. */
typedef struct ferrule_frame {
  uint8_t *buffer;
  uint16_t size;
  uint16_t length;
  uint16_t fcs;
  uint8_t state;
} ferrule_frame;

/** A frame that is damaged, or longer than the buffer, has just ended. */
#define FERRULE_DAMAGED (-1)

/**
 * Takes the next byte of the line.
 *
 * @returns the length of the message (without its check) when a good frame ended with this byte, FERRULE_DAMAGED when
 *   a bad one did, 0 otherwise. The message stands in the buffer until the next byte is taken.
 */
int16_t ferrule_frame_take(ferrule_frame *frame, uint8_t byte);

#ifdef __cplusplus
}
#endif
#endif
