/*
 * Feeds the device whatever the fuzzer thinks of. The input is a row of commands, and the bytes of messages are given
 * their frame here, so that the fuzzer need not find out the check:
 *
 *   00-7F  so many milliseconds pass
 *   80     the next byte says how many bytes come raw
 *   81-FF  so many bytes (less 80) are a message, framed
 *
 * bench-board.c traps when an actuator is given what it does not declare; here it is seen to that no call runs twice.
 */
#include "driver.h"
#include "ferrule/internal.h"

static const uint8_t *input;
static size_t input_left;
static uint32_t time_ms;
static uint8_t line[600];
static size_t line_length, line_at;
static bool line_ended;

/* One line in a poll, so that what each one did can be looked at. */
static int read_byte(void *context) {
  (void)context;
  if (line_at == line_length || line_ended) return -1;
  const uint8_t byte = line[line_at++];
  line_ended = byte == '\n';
  return byte;
}

static uint8_t answer[4096];
static size_t answer_length;

static void write_byte(void *context, uint8_t byte) {
  (void)context;
  if (answer_length < sizeof answer) answer[answer_length++] = byte;
}

static uint32_t millis_now(void *context) {
  (void)context;
  return time_ms;
}

static uint32_t boot_count(void *context) {
  (void)context;
  return 1;
}

uint32_t driver_now(void) { return time_ms; }

int32_t driver_values[DRIVER_SENSORS];
ferrule_status driver_status[DRIVER_SENSORS];

static ferrule_device *device;

/* How far the newest id of this session has come in all, and where it was when each id ran; 0 for one that did not. */
static uint32_t position;
static uint8_t newest;
static uint32_t ran_at[256];

/* Private members, read by a test only. */
static void follow(void) {
  const uint8_t came = (uint8_t)(device->newest - newest);
  newest = device->newest;
  if ((device->flags & FERRULE_ID_SEEN) == 0) {
    position = 0;
    memset(ran_at, 0, sizeof ran_at);
  } else if (position == 0) {
    position = 1; /* The first id of a session may be any. */
  } else {
    if (came > 127) __builtin_trap();
    position += came;
  }
}

void driver_moved(int number, const ferrule_call *call, int count) {
  (void)number;
  (void)count;
  if (call->reason != FERRULE_DONE || !call->is_first) return;
  follow();
  const uint8_t id = call->actuator->slot->id;
  /* An id is new when it is 1 to 127 ahead of the newest one: the same comes again once that is 129 further. */
  if (ran_at[id] != 0 && position - ran_at[id] < 129) __builtin_trap();
  ran_at[id] = position;
}

static void send(const uint8_t *bytes, size_t length, bool framed) {
  line_length = line_at = 0;
  if (framed) {
    uint16_t fcs = FERRULE_FCS_START;
    line[line_length++] = FERRULE_MARKER;
    for (size_t at = 0; at < length + 2; at++) {
      const uint8_t byte = at < length ? bytes[at] : (uint8_t)(at == length ? ~fcs : ~fcs >> 8);
      if (at < length) fcs = ferrule_fcs(fcs, byte);
      const uint16_t stuffed = ferrule_stuffed(byte);
      if (stuffed > 0xFF) line[line_length++] = (uint8_t)(stuffed >> 8);
      line[line_length++] = (uint8_t)stuffed;
    }
    line[line_length++] = '\n';
  } else {
    for (size_t at = 0; at < length; at++) line[line_length++] = bytes[at];
  }
  do {
    line_ended = false;
    ferrule_poll(device);
    follow();
  } while (line_at < line_length);
}

/* Every frame that it writes is a good one, and holds well-formed CBOR. */
static void check_answers(void) {
  static uint8_t message[2048];
  ferrule_frame frame = {message, sizeof message, 0, 0, 0};
  for (size_t at = 0; at < answer_length; at++) {
    const int16_t length = ferrule_frame_take(&frame, answer[at]);
    if (length < 0) __builtin_trap();
    if (length == 0) continue;
    ferrule_in.at = message;
    ferrule_in.end = message + length;
    if (!ferrule_skip() || ferrule_in.at != ferrule_in.end) __builtin_trap();
  }
  answer_length = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static const ferrule_platform platform = {read_byte, write_byte, millis_now, boot_count};
  if (device == NULL) {
    device = driver_device();
    ferrule_begin(device, &platform, NULL);
  }
  /* What came before is over: a hello of a number of its own, and time enough for all rules. */
  static const uint8_t hello[] = {0x84, 0x00, 0x19, 0xFF, 0xFE, 0x01, 0xA0};
  static const uint8_t ping[] = {0x83, 0x01, 0x19, 0xFF, 0xFE, 0x20};
  static const uint8_t stop[] = {0x83, 0x08, 0x19, 0xFF, 0xFE, 0x20};
  send((const uint8_t *)"\n", 1, false);
  send(hello, sizeof hello, true);
  send(ping, sizeof ping, true);
  send(stop, sizeof stop, true);
  time_ms += 100000;
  check_answers();
  input = bytes;
  input_left = size;
  while (input_left > 0) {
    const uint8_t command = *input++;
    input_left--;
    if (command < 0x80) {
      time_ms += command;
      ferrule_poll(device);
    } else {
      size_t length = command & 0x7F;
      const bool framed = length > 0;
      if (!framed && input_left > 0) {
        length = *input++;
        input_left--;
      }
      if (length > input_left) length = input_left;
      send(input, length, framed);
      input += length;
      input_left -= length;
      if (answer_length > sizeof answer - 2100) check_answers();
    }
    driver_values[command % DRIVER_SENSORS] = command - 64;
    driver_status[command % 2] = command % 7 == 0 ? FERRULE_LATER : command % 5 == 0 ? FERRULE_FAILED : FERRULE_DONE;
  }
  check_answers();
  return 0;
}
