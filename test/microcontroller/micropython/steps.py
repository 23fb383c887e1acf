"""Plays a board by a clock and a line that the test holds: the same under MicroPython and CPython."""

import binascii

import ferrule


class Line:
    def __init__(self, sent):
        self.waiting = []
        self._sent = sent

    def read(self, buffer):
        if not self.waiting:
            return 0
        buffer[0] = self.waiting.pop(0)
        return 1

    def write(self, view):
        self._sent(binascii.hexlify(view).decode())
        return len(view)


class Steps:
    def __init__(self, make, boot, sent):
        """`sent` is given what the board sends, in hex."""
        self._now = 0
        ferrule._ticks = self._ticks
        ferrule._ticks_diff = self._diff
        self._line = Line(sent)
        self.board = make(self._line, boot)

    def _ticks(self):
        return self._now & 0x3FFFFFFF

    def _diff(self, a, b):
        # The counter of MicroPython has 30 bits.
        return ((a - b + 0x20000000) & 0x3FFFFFFF) - 0x20000000

    def step(self, now, bytes_in):
        """Takes bytes in hex at this time."""
        self._now = int(now)
        self._line.waiting.extend(binascii.unhexlify(bytes_in))
        while self.board.poll() and self._line.waiting:
            pass
