# A thermostat on an ESP32: it holds the temperature by itself, also while nobody is connected. The model, or a person,
# sets what to hold.
#
#   DS18B20   GPIO4, with a resistor of 4.7 kOhm to 3.3 V
#   heater    GPIO5, a relay
#
# Copy ferrule.py and this file, as main.py, to the ESP32.
import time

import ds18x20
import onewire
from machine import Pin

import ferrule

wire = ds18x20.DS18X20(onewire.OneWire(Pin(4)))
heater = Pin(5, Pin.OUT, value=0)
state = {"wanted": 5.0, "measured": None, "asked": None}

board = ferrule.Board("thermostat", title="Thermostat", boot="boots.txt")


@board.sensor(unit="Cel", dead_band=0.2, title="Room temperature")
def temperature():
    if state["measured"] is None:
        raise ferrule.Failed("the DS18B20 at GPIO4 does not answer: check its wiring")
    return state["measured"]


@board.sensor(type=bool, title="Heater is on")
def heating():
    return bool(heater.value())


# Safe is not "off" but "no frost": what the device holds when its host is gone.
@board.actuator(
    safe=[5],
    initial=[5],
    celsius=ferrule.Arg(float, 5, 25, unit="Cel"),
    title="Wanted temperature",
    undo=True,
    idempotent=True,
    readback=temperature,
)
def setpoint(celsius):
    state["wanted"] = celsius


def measure():
    # A conversion takes 750 ms. It is begun here, and read a second later.
    probes = wire.scan()
    if state["asked"] is not None:
        state["measured"] = wire.read_temp(probes[0]) if probes else None
    if probes:
        wire.convert_temp()


def control():
    now = time.ticks_ms()
    if state["asked"] is not None and time.ticks_diff(now, state["asked"]) < 1000:
        return
    try:
        measure()
    except Exception:
        # Its check failed, or it was unplugged meanwhile.
        state["measured"] = None
    state["asked"] = now
    measured = state["measured"]
    # Without a measurement nothing is heated.
    if measured is None or measured > state["wanted"] + 0.3:
        heater.value(0)
    elif measured < state["wanted"] - 0.3:
        heater.value(1)


try:
    board.run(control)
finally:
    heater.value(0)
