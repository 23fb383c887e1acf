"""The board with rules of docs/link-vectors.json."""

import ferrule
from ferrule import Arg


def make(stream=None, boot=17):
    board = ferrule.Board(
        "shed",
        stream,
        version="1.0",
        id="V1",
        boot=boot,
        calls=1,
        frame=1024,
        largest_answer=None,
        answer_time=50,
    )
    state = {"lamp": False, "motor": 0, "saw": False, "vent": 0}

    @board.sensor(type=bool)
    def lamp_on():
        return state["lamp"]

    @board.sensor(type=int)
    def motor_speed():
        return state["motor"]

    @board.sensor(type=bool)
    def saw_on():
        return state["saw"]

    @board.sensor(type=int)
    def vent_opening():
        return state["vent"]

    @board.actuator(on=bool, safe=[False], closed_world=True, hold_for=1000, readback="lamp_on")
    def lamp(on):
        state["lamp"] = on

    @board.actuator(on=bool, safe=[False], closed_world=True, min_interval=2000)
    def pump(on):
        pass

    @board.actuator(speed=Arg(int, 0, 100), safe=[0], closed_world=True, rate=20, readback="motor_speed")
    def motor(speed):
        state["motor"] = speed

    @board.actuator(on=bool, safe=[False], closed_world=True, group=0)
    def heater(on):
        pass

    @board.actuator(on=bool, safe=[False], closed_world=True, group=0)
    def cooler(on):
        pass

    @board.actuator(
        on=bool, safe=[False], closed_world=True, confirm="each", audience="person", readback="saw_on", arming=True
    )
    def saw(on):
        state["saw"] = on

    @board.actuator(
        percent=Arg(int, 0, 100), safe=[0], initial=[30], closed_world=True, rate=10, readback="vent_opening"
    )
    def vent(percent):
        state["vent"] = percent

    return board
