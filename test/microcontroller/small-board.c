/*
 * The device whose size is measured: two sensors and two actuators on an ATmega328P, with all that it needs to run: a
 * serial line at 115200 baud that is received by interrupts, milliseconds, the converter, the boot count in EEPROM.
 */
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>

#include "ferrule/device.h"

static volatile uint8_t received[32];
static volatile uint8_t received_count;
static uint8_t taken_count;
static volatile uint32_t milliseconds;

ISR(USART_RX_vect) { received[received_count++ & 31] = UDR0; }

ISR(TIMER0_COMPA_vect) { milliseconds++; }

static int read_byte(void *context) {
  (void)context;
  return taken_count == received_count ? -1 : received[taken_count++ & 31];
}

static void write_byte(void *context, uint8_t byte) {
  (void)context;
  while ((UCSR0A & _BV(UDRE0)) == 0) {
  }
  UDR0 = byte;
}

static uint32_t millis_now(void *context) {
  (void)context;
  cli();
  const uint32_t now = milliseconds;
  sei();
  return now;
}

static uint32_t boot_count(void *context) {
  (void)context;
  const uint32_t boot = eeprom_read_word(0) + 1U;
  eeprom_update_word(0, (uint16_t)boot);
  return boot;
}

static const ferrule_platform platform = {read_byte, write_byte, millis_now, boot_count};

static uint16_t converted(uint8_t channel) {
  ADMUX = (uint8_t)(_BV(REFS0) | channel);
  ADCSRA |= _BV(ADSC);
  while ((ADCSRA & _BV(ADSC)) != 0) {
  }
  return ADC;
}

#ifdef DECIMALS
/* An LM35 gives 10 mV for each degree. */
static ferrule_status read_temperature(ferrule_reading *reading) {
  return ferrule_number(reading, (int32_t)((uint32_t)converted(0) * 5000 / 1023));
}
FERRULE_SENSOR(temperature, "Temperature", "Cel", read_temperature, FERRULE_NUMBER(1), FERRULE_DEAD_BAND(5));
#else
static ferrule_status read_light(ferrule_reading *reading) { return ferrule_number(reading, converted(0)); }
FERRULE_SENSOR(temperature, "Light", "", read_light, FERRULE_INTEGER, FERRULE_DEAD_BAND(5));
#endif

static ferrule_status read_moisture(ferrule_reading *reading) { return ferrule_number(reading, converted(1) / 10); }
FERRULE_SENSOR(moisture, "Soil moisture", "%", read_moisture, FERRULE_INTEGER, FERRULE_RANGE(0, 102));

static ferrule_status set_lamp(ferrule_call *call) {
  if (ferrule_value(call, 0)) PORTB |= _BV(PB5);
  else PORTB &= (uint8_t)~_BV(PB5);
  return FERRULE_DONE;
}
FERRULE_ARGUMENT(on, "", "", FERRULE_BOOLEAN);
FERRULE_ACTUATOR(lamp, "Lamp", set_lamp, FERRULE_TAKES(on), FERRULE_SAFE(false), FERRULE_HARMLESS);

static ferrule_status set_fan(ferrule_call *call) {
  OCR2B = (uint8_t)ferrule_value(call, 0);
  return FERRULE_DONE;
}
FERRULE_ARGUMENT(speed, "", "", FERRULE_INTEGER, FERRULE_RANGE(0, 255));
FERRULE_ACTUATOR(fan, "Fan", set_fan, FERRULE_TAKES(speed), FERRULE_SAFE(0), FERRULE_HARMLESS
#ifdef RULES
                 , FERRULE_REST(1000), FERRULE_HOLD_FOR(60000), FERRULE_RATE(100), FERRULE_GROUP(1), FERRULE_ARMING
#endif
);

FERRULE_DEVICE(greenhouse, "Greenhouse", "1.0");

int main(void) {
  UBRR0 = 16;
  UCSR0A = _BV(U2X0);
  UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
  TCCR0A = _BV(WGM01);
  OCR0A = 249;
  TCCR0B = _BV(CS01) | _BV(CS00);
  TIMSK0 = _BV(OCIE0A);
  ADCSRA = _BV(ADEN) | _BV(ADPS2) | _BV(ADPS1) | _BV(ADPS0);
  DDRB = _BV(PB5);
  DDRD = _BV(PD3);
  TCCR2A = _BV(COM2B1) | _BV(WGM21) | _BV(WGM20);
  TCCR2B = _BV(CS22);
  sei();
  ferrule_add_sensor(&greenhouse, &temperature);
  ferrule_add_sensor(&greenhouse, &moisture);
  ferrule_add_actuator(&greenhouse, &lamp);
  ferrule_add_actuator(&greenhouse, &fan);
  ferrule_begin(&greenhouse, &platform, NULL);
  for (;;) ferrule_poll(&greenhouse);
}
