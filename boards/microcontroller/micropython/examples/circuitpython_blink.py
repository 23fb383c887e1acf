# The LED and the temperature of a board with CircuitPython, over its USB cable.
#
# Copy ferrule.py and this file, as code.py, to the drive CIRCUITPY.
import board
import digitalio
import microcontroller

import ferrule

led = digitalio.DigitalInOut(board.LED)
led.switch_to_output(False)

device = ferrule.Board("blink", title="Blinking board", boot=microcontroller.nvm)


@device.sensor(unit="Cel", dead_band=0.5, title="Temperature of the chip")
def chip_temperature():
    return microcontroller.cpu.temperature


@device.actuator(safe=[False], on=bool, title="LED", undo=True, idempotent=True, closed_world=True)
def light(on):
    led.value = on


@device.actuator(safe=None, times=ferrule.Arg(int, 1, 100), title="Blink", closed_world=True)
def blink(times):
    try:
        for done in range(times):
            yield done, times
            led.value = True
            yield from ferrule.sleep_ms(200)
            led.value = False
            yield from ferrule.sleep_ms(200)
    finally:
        led.value = False


device.run()
