/*
 * Runs an image on simavr: what comes on standard input goes to USART0 from 200 ms on, what the chip sends goes to
 * standard output. Ends after a second of the chip's time. cc simavr.c -lsimavr -lelf
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_hex.h>

enum { HZ = 16000000, CYCLES_PER_BYTE = HZ / 115200 * 10 };

static void sent(struct avr_irq_t *irq, uint32_t value, void *param) {
  (void)irq;
  (void)param;
  putchar((int)value);
}

/* Time need not pass while it sleeps. */
static void asleep(avr_t *avr, avr_cycle_count_t cycles) {
  (void)avr;
  (void)cycles;
}

int main(int argc, char **argv) {
  uint32_t size = 0;
  uint32_t start = 0;
  uint8_t *image = argc == 2 ? read_ihex_file(argv[1], &size, &start) : NULL;
  avr_t *avr = avr_make_mcu_by_name("atmega328p");
  if (image == NULL || avr == NULL) return 2;
  avr_init(avr);
  avr->frequency = HZ;
  avr->sleep = asleep;
  avr_loadcode(avr, image, size, start);
  avr->pc = start;
  avr->codeend = avr->flashend;

  uint32_t flags = 0;
  avr_ioctl(avr, AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
  flags &= ~(uint32_t)(AVR_UART_FLAG_STDIO | AVR_UART_FLAG_POLL_SLEEP);
  avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
  avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), sent, NULL);
  avr_irq_t *input = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);

  avr_cycle_count_t next = HZ / 5;
  while (avr->cycle < HZ) {
    const int state = avr_run(avr);
    if (state == cpu_Done || state == cpu_Crashed) return 3;
    if (avr->cycle < next) continue;
    const int byte = getchar();
    if (byte == EOF) next = HZ;
    else {
      avr_raise_irq(input, (uint32_t)byte);
      next = avr->cycle + CYCLES_PER_BYTE;
    }
  }
  return 0;
}
