/* What goes out: byte by byte, with no buffer. The same bytes can go into the hash of the description, or be counted. */
#include "internal.h"
#include "number.h"

static void put_stuffed(ferrule_device *device, uint8_t byte) {
  const uint16_t stuffed = ferrule_stuffed(byte);
  if (stuffed > 0xFF) device->platform->write(device->context, (uint8_t)(stuffed >> 8));
  device->platform->write(device->context, (uint8_t)stuffed);
}

void ferrule_put(ferrule_device *device, uint8_t byte) {
  if (device->sink == FERRULE_TO_HASH) {
    device->sum = (device->sum ^ byte) * 0x01000193;
  } else if (device->sink == FERRULE_TO_COUNT) {
    device->sum++;
  } else {
    device->fcs = ferrule_fcs(device->fcs, byte);
    put_stuffed(device, byte);
  }
}

static void put_argument(ferrule_device *device, uint8_t head, uint32_t argument, uint8_t bytes) {
  ferrule_put(device, head);
  while (bytes-- > 0) ferrule_put(device, (uint8_t)(argument >> (8 * bytes)));
}

void ferrule_put_head(ferrule_device *device, uint8_t major, uint32_t argument) {
  major = (uint8_t)(major << 5);
  if (argument < 24) put_argument(device, (uint8_t)(major | argument), 0, 0);
  else if (argument < 0x100) put_argument(device, major | 24, argument, 1);
  else if (argument < 0x10000) put_argument(device, major | 25, argument, 2);
  else put_argument(device, major | 26, argument, 4);
}

void ferrule_put_number(ferrule_device *device, int32_t number, uint8_t decimals) {
  while (decimals > 0 && number % 10 == 0) {
    number /= 10;
    decimals--;
  }
  if (decimals == 0) {
    if (number < 0) ferrule_put_head(device, FERRULE_ITEM_NEGATIVE, (uint32_t)(-1 - number));
    else ferrule_put_head(device, FERRULE_ITEM_POSITIVE, (uint32_t)number);
    return;
  }
  const uint32_t single = ferrule_single(number, decimals);
  const uint8_t exponent = (uint8_t)(single >> 23);
  /* A half where it holds the same. What has nine decimals or fewer is never one of the halves below 2^-14. */
  if ((single & 0x1FFF) == 0 && exponent >= 113 && exponent <= 142) {
    const uint16_t half = (uint16_t)((single >> 16 & 0x8000) | ((single >> 13 & 0x3FFFF) - (112UL << 10)));
    put_argument(device, 0xF9, half, 2);
  } else {
    put_argument(device, 0xFA, single, 4);
  }
}

void ferrule_put_bytes(ferrule_device *device, uint8_t major, const void *bytes, uint16_t length, bool in_flash) {
  const uint8_t *at = bytes;
  ferrule_put_head(device, major, length);
  for (; length > 0; length--, at++) ferrule_put(device, in_flash ? ferrule_flash_byte(at) : *at);
}

void ferrule_put_text(ferrule_device *device, const char *text, bool in_flash) {
  ferrule_put_bytes(device, FERRULE_ITEM_TEXT, text,
                    (uint16_t)(in_flash ? ferrule_flash_length(text) : strlen(text)), in_flash);
}

void ferrule_open(ferrule_device *device, uint8_t count, uint8_t kind, uint16_t session, int16_t id) {
  if (device->sink == FERRULE_TO_LINE) {
    device->fcs = FERRULE_FCS_START;
    device->platform->write(device->context, FERRULE_MARKER);
  }
  ferrule_put_head(device, FERRULE_ITEM_ARRAY, count);
  ferrule_put(device, kind);
  ferrule_put_head(device, FERRULE_ITEM_POSITIVE, session);
  ferrule_put_number(device, id, 0);
}

void ferrule_close(ferrule_device *device) {
  if (device->sink != FERRULE_TO_LINE) return;
  const uint16_t fcs = (uint16_t)~device->fcs;
  put_stuffed(device, (uint8_t)fcs);
  put_stuffed(device, (uint8_t)(fcs >> 8));
  device->platform->write(device->context, '\n');
}

void ferrule_send_error(ferrule_device *device, uint16_t session, int16_t id, int8_t code) {
  ferrule_open(device, 4, FERRULE_KIND_ERROR, session, id);
  ferrule_put_number(device, code, 0);
  ferrule_close(device);
}

void ferrule_send_progress(ferrule_device *device, int16_t id) {
  ferrule_open(device, 3, FERRULE_KIND_PROGRESS, device->session, id);
  ferrule_close(device);
}

void ferrule_send_outcome(ferrule_device *device, uint8_t kind, int16_t id, const ferrule_outcome *outcome) {
  const uint8_t form = outcome->form & FERRULE_OUTCOME_KIND;
  const bool in_flash = (outcome->form & FERRULE_OUTCOME_FLASH) != 0;
  /* Kind, session, id, the head of a text and the check: 14 bytes at most. */
  if (form >= FERRULE_OUTCOME_TEXT && outcome->length > device->host_limit - 14) {
    if (kind != FERRULE_KIND_UPDATE) ferrule_send_error(device, device->session, id, FERRULE_TOO_LARGE);
    return;
  }
  uint8_t count = form == FERRULE_OUTCOME_NULL && kind != FERRULE_KIND_UPDATE ? 3 : 4;
  if (outcome->status != FERRULE_DONE && kind == FERRULE_KIND_RESULT) {
    count++;
    kind = FERRULE_KIND_ERROR;
  }
  ferrule_open(device, count, kind, device->session, id);
  if (kind == FERRULE_KIND_ERROR) {
    ferrule_put_number(device, outcome->status, 0);
    if (count == 4) goto end;
  }
  if (count == 3) goto end;
  if (form == FERRULE_OUTCOME_NULL) ferrule_put(device, 0xF6);
  else if (form == FERRULE_OUTCOME_BOOLEAN) ferrule_put(device, outcome->number != 0 ? 0xF5 : 0xF4);
  else if (form == 0) ferrule_put_number(device, outcome->number, outcome->form & FERRULE_FORM_DECIMALS);
  else {
    ferrule_put_bytes(device, form == FERRULE_OUTCOME_BYTES ? FERRULE_ITEM_BYTES : FERRULE_ITEM_TEXT, outcome->text,
                      outcome->length, in_flash);
  }
end:
  ferrule_close(device);
}
