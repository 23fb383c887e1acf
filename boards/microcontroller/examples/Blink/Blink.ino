// The lamp of the board, for a language model to switch.

#include <Ferrule.h>

FERRULE_DIGITAL_OUTPUT(lamp, "Lamp on the board", LED_BUILTIN, FERRULE_SAFE(false), FERRULE_HARMLESS);
FERRULE(blink, "A board with a lamp", "1.0");

void setup() {
  Serial.begin(115200);
  blink.add(lamp).begin(Serial);
}

void loop() {
  blink.poll();
}
