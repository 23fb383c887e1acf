#include "driver.h"

#include <stdio.h>
#include <stdlib.h>

int32_t driver_values[DRIVER_SENSORS];
ferrule_status driver_status[DRIVER_SENSORS];

static uint8_t input[4096];
static size_t input_length, input_at;
static uint8_t output[1 << 16];
static size_t output_length;
static uint32_t time_ms = 5;
static uint32_t boots = 16;

static int read_byte(void *context) {
  (void)context;
  return input_at < input_length ? input[input_at++] : -1;
}

static void write_byte(void *context, uint8_t byte) {
  (void)context;
  if (output_length < sizeof output) output[output_length++] = byte;
}

static uint32_t millis_now(void *context) {
  (void)context;
  return time_ms;
}

static uint32_t boot_count(void *context) {
  (void)context;
  return ++boots;
}

uint32_t driver_now(void) { return time_ms; }

static void flush_output(void) {
  if (output_length == 0) return;
  printf("o ");
  for (size_t at = 0; at < output_length; at++) printf("%02x", output[at]);
  printf("\n");
  output_length = 0;
}

void driver_moved(int number, const ferrule_call *call, int count) {
  printf("m %d %d", number, call->reason);
  for (int at = 0; at < count; at++) printf(" %ld", (long)ferrule_value(call, (uint8_t)at));
  printf("\n");
}

static int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

int driver_run(int count, char **words) {
  if (count > 1) boots += (uint32_t)strtoul(words[1], NULL, 10);
  static const ferrule_platform platform = {read_byte, write_byte, millis_now, boot_count};
  static char line[16384];
  ferrule_device *device = driver_device();
  ferrule_begin(device, &platform, NULL);
  while (fgets(line, sizeof line, stdin) != NULL) {
    if (line[0] == 'b') {
      input_length = input_at = 0;
      for (const char *at = line + 2; at[0] > ' ' && at[1] > ' '; at += 2) {
        input[input_length++] = (uint8_t)(digit(at[0]) << 4 | digit(at[1]));
      }
      do ferrule_poll(device);
      while (input_at < input_length);
    } else if (line[0] == 't') {
      for (long left = strtol(line + 2, NULL, 10); left > 0; left--) {
        time_ms++;
        ferrule_poll(device);
      }
    } else if (line[0] == 's') {
      char *rest;
      const long number = strtol(line + 2, &rest, 10);
      if (number < 0 || number >= DRIVER_SENSORS) return 1;
      driver_status[number] = rest[1] == 'l' ? FERRULE_LATER : rest[1] == 'f' ? FERRULE_FAILED : FERRULE_DONE;
      driver_values[number] = (int32_t)strtol(rest, NULL, 10);
    }
    flush_output();
    printf(".\n");
    fflush(stdout);
  }
  return 0;
}
