#include "chip.h"

#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include <util/atomic.h>

/* Powers of two, so that an index wraps by a mask. */
enum { RECEIVED = 64, WAITING = 32 };

/* Nothing in a greenhouse is in more of a hurry. */
enum { REST_MS = 4 };

static volatile uint8_t received[RECEIVED];
static volatile uint8_t received_head;
static uint8_t received_tail;
static volatile uint8_t waiting[WAITING];
static uint8_t waiting_head;
static volatile uint8_t waiting_tail;
static volatile uint32_t milliseconds;

/* Cell 0 is the one that a brown-out damages first. */
static uint32_t boot_count EEMEM;

ISR(USART_RX_vect) {
  uint8_t byte = UDR0;
  uint8_t head = received_head;
  uint8_t next = (uint8_t)(head + 1) & (RECEIVED - 1);
  /* What finds no room is lost. The frame that it belonged to is damaged then, and the host repeats it. */
  if (next == received_tail) return;
  received[head] = byte;
  received_head = next;
}

ISR(USART_UDRE_vect) {
  uint8_t tail = waiting_tail;
  UDR0 = waiting[tail];
  tail = (uint8_t)(tail + 1) & (WAITING - 1);
  waiting_tail = tail;
  if (tail == waiting_head) UCSR0B &= (uint8_t)~_BV(UDRIE0);
}

ISR(TIMER0_COMPA_vect) { milliseconds++; }

/* After a reset by the watchdog it goes on to run, at its shortest time: it must be off before anything else. */
void chip_quiet_watchdog(void) __attribute__((naked, used, section(".init3")));
void chip_quiet_watchdog(void) {
  MCUSR = 0;
  wdt_disable();
}

void chip_begin(void) {
  UBRR0 = 16;
  UCSR0A = _BV(U2X0);
  UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
  UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
  /* Timer 0 counts to 250 at 250 kHz. */
  TCCR0A = _BV(WGM01);
  OCR0A = 249;
  TIMSK0 = _BV(OCIE0A);
  TCCR0B = _BV(CS01) | _BV(CS00);
  /* The converter at 250 kHz, against the supply. */
  ADMUX = _BV(REFS0);
  ADCSRA = _BV(ADEN) | _BV(ADPS2) | _BV(ADPS1);
  set_sleep_mode(SLEEP_MODE_IDLE);
  wdt_enable(WDTO_2S);
  sei();
}

/** Sleeps until the next interrupt. Called with interrupts off, so that the one waited for cannot be over already. */
static void doze(void) {
  sleep_enable();
  /* The instruction behind SEI still comes before any interrupt. */
  sei();
  sleep_cpu();
  sleep_disable();
}

void chip_rest(void) {
  const uint8_t from = (uint8_t)milliseconds;
  wdt_reset();
  cli();
  while (received_tail == received_head && (uint8_t)((uint8_t)milliseconds - from) < REST_MS) {
    doze();
    cli();
  }
  sei();
}

uint32_t chip_millis(void) {
  uint32_t now = 0;
  ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { now = milliseconds; }
  return now;
}

uint16_t chip_analog(uint8_t channel) {
  uint16_t sum = 0;
  ADMUX = _BV(REFS0) | channel;
  for (uint8_t sample = 0; sample < CHIP_SAMPLES; sample++) {
    ADCSRA |= _BV(ADSC);
    while (ADCSRA & _BV(ADSC)) {
    }
    sum += ADC;
  }
  return sum;
}

static int chip_read(void *context) {
  (void)context;
  uint8_t tail = received_tail;
  if (tail == received_head) return -1;
  uint8_t byte = received[tail];
  received_tail = (uint8_t)(tail + 1) & (RECEIVED - 1);
  return byte;
}

static void chip_write(void *context, uint8_t byte) {
  (void)context;
  uint8_t next = (uint8_t)(waiting_head + 1) & (WAITING - 1);
  cli();
  while (next == waiting_tail) {
    doze();
    cli();
  }
  sei();
  waiting[waiting_head] = byte;
  ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
    waiting_head = next;
    UCSR0B |= _BV(UDRIE0);
  }
}

static uint32_t chip_now(void *context) {
  (void)context;
  return chip_millis();
}

static uint32_t chip_boot(void *context) {
  (void)context;
  uint32_t count = eeprom_read_dword(&boot_count) + 1;
  eeprom_update_dword(&boot_count, count);
  return count;
}

const ferrule_platform chip_platform = {chip_read, chip_write, chip_now, chip_boot};
