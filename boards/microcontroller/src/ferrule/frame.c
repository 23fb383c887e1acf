#include "frame.h"

#include <stdbool.h>

#include "flash.h"

/* The message is masked, so that small numbers, of which most messages are made, travel as printable bytes. */
#define MASK 0xC0
#define ESCAPE 0x7D
#define FLIP 0x20
#define NEWLINE 0x0A
#define CARRIAGE_RETURN 0x0D

enum { TEXT, FRAME, FLIPPED, BROKEN };

FERRULE_CALLED uint16_t ferrule_fcs(uint16_t fcs, uint8_t byte) {
  /* The eight steps of the bitwise form at once, without a table: it would take 512 bytes of flash. */
  uint8_t low = (uint8_t)(byte ^ fcs);
  low = (uint8_t)(low ^ (low << 4));
  return (uint16_t)((((uint16_t)low << 8) | (fcs >> 8)) ^ (low >> 4) ^ ((uint16_t)low << 3));
}

static bool is_reserved(uint8_t byte) {
  return byte < 0x20 || byte == ESCAPE || byte == 0x7F || byte >= FERRULE_MARKER;
}

FERRULE_CALLED uint16_t ferrule_stuffed(uint8_t byte) {
  byte ^= MASK;
  return is_reserved(byte) ? (uint16_t)(FERRULE_ESCAPED | (byte ^ FLIP)) : byte;
}

int16_t ferrule_frame_take(ferrule_frame *frame, uint8_t byte) {
  if (byte == FERRULE_MARKER) {
    frame->state = FRAME;
    frame->length = 0;
    frame->fcs = FERRULE_FCS_START;
    return 0;
  }
  if (byte == NEWLINE) {
    const uint8_t ended = frame->state;
    frame->state = TEXT;
    if (ended == TEXT) return 0;
    if (ended != FRAME || frame->fcs != FERRULE_FCS_GOOD || frame->length < 3) return FERRULE_DAMAGED;
    return (int16_t)(frame->length - 2);
  }
  /* Terminals and drivers make CR LF of a newline; a frame never holds one. */
  if (byte == CARRIAGE_RETURN || frame->state == TEXT || frame->state == BROKEN) return 0;
  if (frame->state == FRAME && byte == ESCAPE) {
    frame->state = FLIPPED;
    return 0;
  }
  if (frame->state == FLIPPED) byte ^= FLIP;
  if (is_reserved(byte) != (frame->state == FLIPPED) || frame->length == frame->size) {
    frame->state = BROKEN;
    return 0;
  }
  frame->state = FRAME;
  byte ^= MASK;
  frame->buffer[frame->length++] = byte;
  frame->fcs = ferrule_fcs(frame->fcs, byte);
  return 0;
}
