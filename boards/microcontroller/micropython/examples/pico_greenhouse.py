# A greenhouse on a Raspberry Pi Pico, over its USB cable.
#
#   moisture probe   GP26 (ADC0)
#   pump, relay      GP15, with a pull-down resistor: off while the Pico boots
#   window, servo    GP16
#
# Copy ferrule.py and this file, as main.py, to the Pico.
from machine import ADC, PWM, Pin

import ferrule

probe = ADC(26)
chip = ADC(4)
relay = Pin(15, Pin.OUT, value=0)
servo = PWM(Pin(16), freq=50)

board = ferrule.Board("greenhouse", title="Greenhouse", boot="boots.txt")


@board.sensor(unit="%", minimum=0, maximum=100, dead_band=1, title="Soil moisture")
def moisture():
    return round(probe.read_u16() * 100 / 65535, 1)


@board.sensor(unit="Cel", dead_band=0.5, title="Temperature of the chip")
def chip_temperature():
    return round(27 - (chip.read_u16() * 3.3 / 65535 - 0.706) / 0.001721, 1)


@board.actuator(
    safe=[False],
    on=bool,
    hold_for=60000,
    title="Pump",
    description="Waters the bed. Goes off by itself after a minute.",
    readback=moisture,
)
def pump(on):
    relay.value(on)


at = 0


@board.actuator(
    safe=[0],
    percent=ferrule.Arg(int, 0, 100, unit="%"),
    title="Window",
    description="0 is shut. It moves slowly.",
    undo=True,
    idempotent=True,
)
def window(percent):
    # A step every 20 ms. A cancel or a stop ends it at a yield, and shuts the window.
    global at
    way = abs(percent - at)
    while at != percent:
        at += 1 if percent > at else -1
        servo.duty_ns(1000000 + at * 10000)
        yield way - abs(percent - at), way
        yield from ferrule.sleep_ms(20)


board.run()
