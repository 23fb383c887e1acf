"""The board of the tests: something of everything that can be declared, and functions that go wrong."""

import ferrule
from ferrule import Arg


def make(stream=None, boot=1):
    board = ferrule.Board(
        "bench", stream, title="Test bench", version="1.0", id="B1", boot=boot, answer_time=200, largest_answer=300
    )
    state = {"level": 0, "moves": 0, "door": "closed", "safe_fails": False}

    @board.sensor(unit="%", type=int, minimum=0, maximum=100, min_interval=100)
    def level():
        return state["level"]

    @board.sensor(type=int)
    def moves():
        return state["moves"]

    @board.sensor(unit="Cel", dead_band=0.5, min_interval=100, title="Temperature", device_class="temperature")
    def temperature():
        return 21.5 + state["level"] / 100

    @board.sensor(type=str)
    def door_is():
        return state["door"]

    @board.sensor
    def nothing():
        return None

    @board.sensor(type=str)
    def greeting():
        return "grüß Gott"

    @board.sensor(type=bytes, slow=True)
    def picture():
        return bytes(range(256))

    @board.sensor(type=bytes)
    def album():
        return bytes(1100)

    @board.sensor
    def broken():
        raise ferrule.Failed("ds18b20 does not answer:\ncheck the wiring")

    @board.sensor
    def wrong():
        return [][1]

    @board.sensor
    def not_a_number():
        return float("nan")

    @board.actuator(
        Arg(int, 0, 100, unit="%", name="percent"), Arg(bool, name="on"), safe=[0, False], title="Fan", readback="level"
    )
    def fan(percent, on):
        state["moves"] += 1
        state["level"] = percent if on else 0

    @board.actuator(safe=[0], seconds=Arg(float, 0, 60), longest_time=20000)
    def door(seconds):
        state["moves"] += 1
        if seconds == 0:
            state["door"] = "closed"
            return
        state["door"] = "moving"
        try:
            yield (1, 2, "half")
            yield from ferrule.sleep_ms(int(seconds * 1000))
            state["door"] = "open"
            return {"arrived": True}
        finally:
            if state["door"] == "moving":
                state["door"] = "broken off"

    note = Arg(str, longest=5, optional=True)

    @board.actuator(safe=None, mode=("day", "night"), note=note, undo=True, idempotent=True)
    def mode(mode, note="none"):
        return mode + " " + note

    @board.actuator(safe=[False], on=bool, arming=True, audience="person")
    def saw(on):
        state["moves"] += 1

    @board.actuator(safe=[False], on=bool, hold_for=1000)
    def lamp(on):
        state["level"] = 1 if on else 0

    @board.actuator(safe=None, to=Arg(float, -100, 100))
    def dial(to):
        return to

    @board.actuator(safe=[False], on=bool, group=1)
    def heater(on):
        state["moves"] += 1
        state["level"] = 50 if on else 0

    @board.actuator(safe=False, on=bool, group=1)
    def cooler(on):
        state["moves"] += 1

    @board.actuator(safe=None, on=bool, min_interval=60000)
    def compressor(on):
        state["moves"] += 1

    @board.actuator(safe=[0], speed=Arg(float, -100, 100), rate=20)
    def motor(speed):
        state["moves"] += 1

    @board.actuator(safe=None)
    def crash():
        return 1 // 0

    @board.actuator(safe=None, words=str)
    def say(words):
        print(words)
        print("and more", end="")

    @board.actuator(safe=[False], on=bool)
    def stuck(on):
        state["safe_fails"] = on or state["safe_fails"]
        if not on and state["safe_fails"]:
            raise ferrule.Failed("the contact is welded", -3)

    @board.actuator(safe={"to": 0}, to=Arg(int, 0, 5))
    def valve(to):
        # Also its way to the safe value takes time.
        for step in range(5):
            yield step, 5
            yield from ferrule.sleep_ms(100)

    @board.actuator(safe=None)
    def unstuck():
        state["safe_fails"] = False

    return board
