"""A device as a process of CPython: the bench on its standard streams. main.py BOOT"""

import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, "../../../boards/microcontroller/micropython")]

import bench  # noqa: E402

try:
    bench.make(boot=int(sys.argv[1])).run()
except EOFError:
    pass
