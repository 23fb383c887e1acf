"""The board of docs/link-vectors.json."""

import ferrule
from ferrule import Arg


def make(stream=None, boot=17):
    board = ferrule.Board(
        "pot",
        stream,
        title="Flower pot",
        version="1.0",
        id="V1",
        boot=boot,
        calls=1,
        frame=1024,
        largest_answer=None,
        answer_time=50,
    )
    state = {"level": 0}

    @board.sensor(title="Fan level", type=int, unit="%", minimum=0, maximum=100)
    def fan_level():
        return state["level"]

    @board.sensor(type=bool)
    def button():
        return False

    @board.actuator(
        Arg(int, 0, 100, name="percent"),
        Arg(bool, name="on"),
        title="Fan",
        safe=[0, False],
        undo=True,
        idempotent=True,
        closed_world=True,
    )
    def fan(percent, on):
        state["level"] = percent if on else 0

    @board.actuator(Arg(float, 0, 1, name="brightness"), safe=None)
    def lamp(brightness):
        pass

    return board
