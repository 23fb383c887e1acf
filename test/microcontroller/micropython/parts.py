"""Stands in for the hardware of the examples and the modules of a board, and plays an example."""

import sys

import ferrule
import steps

pins = {}
adc = {26: 0, 4: 14000}
probes = {"found": [b"probe"], "celsius": 19.5, "asked": 0}


class Module:
    def __init__(self, **members):
        for name in members:
            setattr(self, name, members[name])


class Pin:
    OUT = 1

    def __init__(self, number, mode=None, value=None):
        self.number = number
        if value is not None:
            pins[number] = value

    def value(self, value=None):
        if value is None:
            return pins[self.number]
        pins[self.number] = int(value)


class PWM:
    def __init__(self, pin, freq):
        self._pin = pin

    def duty_ns(self, value):
        pins[self._pin.number] = value


class ADC:
    def __init__(self, number):
        self._number = number

    def read_u16(self):
        return adc[self._number]


class DS18X20:
    def __init__(self, wire):
        pass

    def scan(self):
        return probes["found"]

    def convert_temp(self):
        probes["asked"] += 1

    def read_temp(self, probe):
        return probes["celsius"]


class Led:
    def __init__(self, pin):
        self._pin = pin

    def switch_to_output(self, value):
        self.value = value

    @property
    def value(self):
        return pins[self._pin]

    @value.setter
    def value(self, value):
        pins[self._pin] = value


nvm = bytearray(b"\xff" * 16)
for name, module in {
    "machine": Module(Pin=Pin, PWM=PWM, ADC=ADC, unique_id=lambda: b"\xe6\x61"),
    "onewire": Module(OneWire=lambda pin: pin),
    "ds18x20": Module(DS18X20=DS18X20),
    "board": Module(LED="LED"),
    "digitalio": Module(DigitalInOut=Led),
    "microcontroller": Module(nvm=nvm, cpu=Module(temperature=31.5, uid=b"\x01\x02")),
    "time": Module(ticks_ms=lambda: ferrule._ticks(), ticks_diff=lambda a, b: ferrule._ticks_diff(a, b)),
}.items():
    sys.modules[name] = module


class Turns:
    """A board with what it does by itself in each turn."""

    def __init__(self, board, also):
        self._board = board
        self._also = also

    def poll(self):
        busy = self._board.poll()
        if self._also:
            self._also()
        return busy


def play(source, sent):
    """Runs the source of an example up to its `run`, and plays it from there."""
    ran = []
    ferrule.Board.run = lambda self, also=None: ran.append((self, also))
    exec(source, {"__name__": "__main__"})
    board, also = ran[0]

    def make(line, boot):
        board._stream = line
        return Turns(board, also)

    return steps.Steps(make, None, sent)
