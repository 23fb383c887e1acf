/* What goes out: byte by byte, with no buffer. The same bytes can go into the hash of the description instead. */
#include "internal.h"
#include "number.h"

static void raw(const ferrule_device *device, uint8_t byte) { device->platform->write(device->context, byte); }

static void put_stuffed(const ferrule_device *device, uint8_t byte) {
  const uint16_t stuffed = ferrule_stuffed(byte);
  if (stuffed > 0xFF) raw(device, (uint8_t)(stuffed >> 8));
  raw(device, (uint8_t)stuffed);
}

void ferrule_hash(uint32_t *hash, uint8_t byte) {
  /* Times 0x01000193 by shifts: on an 8-bit chip a multiplication of 32 bits is a library of its own. */
  uint32_t power = *hash ^ byte;
  uint32_t product = 0;
  for (uint8_t bit = 0; bit < 25; bit++) {
    if (bit == 24 || (bit < 9 && (0x193 >> bit & 1) != 0)) product += power;
    power <<= 1;
  }
  *hash = product;
}

void ferrule_put(ferrule_device *device, uint8_t byte) {
  if (device->hashes) {
    ferrule_hash(&device->said[FERRULE_SAID_HASH], byte);
  } else {
    device->fcs = ferrule_fcs(device->fcs, byte);
    put_stuffed(device, byte);
  }
}

void ferrule_put_head(ferrule_device *device, uint8_t major, uint16_t argument) {
  uint8_t low = (uint8_t)argument;
  major = (uint8_t)(major << 5);
  if (argument < 24) {
    low |= major;
  } else if (argument < 0x100) {
    ferrule_put(device, major | 24);
  } else {
    ferrule_put(device, major | 25);
    ferrule_put(device, (uint8_t)(argument >> 8));
  }
  ferrule_put(device, low);
}

static void put_four(ferrule_device *device, uint8_t head, uint32_t bytes) {
  ferrule_put(device, head);
  for (uint8_t left = 4; left > 0; left--) {
    ferrule_put(device, (uint8_t)(bytes >> 24));
    bytes <<= 8;
  }
}

void ferrule_put_long(ferrule_device *device, uint8_t major, uint32_t argument) {
  if ((argument >> 16) == 0) ferrule_put_head(device, major, (uint16_t)argument);
  else put_four(device, (uint8_t)(major << 5 | 26), argument);
}

void ferrule_put_small(ferrule_device *device, int16_t number) {
  if (number < 0) ferrule_put_head(device, FERRULE_ITEM_NEGATIVE, (uint16_t)~number);
  else ferrule_put_head(device, FERRULE_ITEM_POSITIVE, (uint16_t)number);
}

void ferrule_put_boolean(ferrule_device *device, bool value) { ferrule_put(device, value ? 0xF5 : 0xF4); }

void ferrule_put_integer(ferrule_device *device, int32_t number, uint8_t unused) {
  (void)unused;
  if (number < 0) ferrule_put_long(device, FERRULE_ITEM_NEGATIVE, (uint32_t)~number);
  else ferrule_put_long(device, FERRULE_ITEM_POSITIVE, (uint32_t)number);
}

void ferrule_put_decimal(ferrule_device *device, int32_t number, uint8_t decimals) {
  int32_t power = 1;
  for (uint8_t left = decimals; left > 0; left--) power *= 10;
  const int32_t whole = number / power;
  if (whole * power == number) {
    ferrule_put_integer(device, whole, 0);
    return;
  }
  const uint32_t single = ferrule_single(number, decimals);
  /* A half where it holds the same. What has nine decimals or fewer is never one of the halves below 2^-14. */
  uint16_t half = (uint16_t)(single >> 13);
  if ((single & 0x1FFF) == 0 && (uint8_t)((uint8_t)(single >> 23) - 113) < 30) {
    half = (uint16_t)(half - (112U << 10)) & 0x7FFF;
    if (number < 0) half |= 0x8000;
    ferrule_put(device, 0xF9);
    ferrule_put(device, (uint8_t)(half >> 8));
    ferrule_put(device, (uint8_t)half);
  } else {
    put_four(device, 0xFA, single);
  }
}

void ferrule_put_string(ferrule_device *device, uint8_t major, const void *bytes, uint16_t length, bool in_flash) {
  const uint8_t *at = bytes;
  ferrule_put_head(device, major, length);
  for (; length > 0; length--, at++) ferrule_put(device, in_flash ? ferrule_flash_byte(at) : *at);
}

void ferrule_put_flash_text(ferrule_device *device, const void *text) {
  ferrule_put_string(device, FERRULE_ITEM_TEXT, text, (uint16_t)ferrule_flash_length((const char *)text), true);
}

void ferrule_open(ferrule_device *device, uint8_t count, uint8_t kind, int16_t id) {
  device->fcs = FERRULE_FCS_START;
  raw(device, FERRULE_MARKER);
  ferrule_put(device, 0x80 | count);
  ferrule_put(device, kind);
  ferrule_put_head(device, FERRULE_ITEM_POSITIVE, device->session);
  ferrule_put_small(device, id);
}

void ferrule_close(ferrule_device *device) {
  const uint16_t fcs = (uint16_t)~device->fcs;
  put_stuffed(device, (uint8_t)fcs);
  put_stuffed(device, (uint8_t)(fcs >> 8));
  raw(device, '\n');
}

void ferrule_send_short(ferrule_device *device, uint8_t kind, int16_t id) {
  ferrule_open(device, 3, kind, id);
  ferrule_close(device);
}

void ferrule_send_error(ferrule_device *device, int16_t id, int8_t code) {
  ferrule_open(device, 4, FERRULE_KIND_ERROR, id);
  ferrule_put_small(device, code);
  ferrule_close(device);
}

void ferrule_send_outcome(ferrule_device *device, uint8_t kind, int16_t id, const ferrule_outcome *outcome) {
  const ferrule_status status = outcome->status;
  uint8_t count = 4;
  if (kind == FERRULE_KIND_RESULT) {
    if (outcome->put == NULL) count = 3;
    if (status != FERRULE_DONE) {
      count++;
      kind = FERRULE_KIND_ERROR;
    }
  }
  ferrule_open(device, count, kind, id);
  if (kind == FERRULE_KIND_ERROR) ferrule_put_small(device, status);
  if (outcome->put != NULL) outcome->put(device, outcome);
  else if (kind == FERRULE_KIND_UPDATE) ferrule_put(device, 0xF6);
  ferrule_close(device);
}

void ferrule_put_text_outcome(ferrule_device *device, const ferrule_outcome *outcome) {
  ferrule_put_flash_text(device, outcome->text);
}
