"""CPython as a child: one line of JSON in for each step, one out. stepped.py MODULE"""

import importlib
import json
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, "../../../boards/microcontroller/micropython")]

import steps  # noqa: E402

out = sys.stdout
# What is printed is not part of the answers.
sys.stdout = open(os.devnull, "w")
player = None
starts = None
sent = []
for line in sys.stdin:
    now, bytes_in, boot = json.loads(line)
    if boot != starts:
        starts = boot
        player = steps.Steps(importlib.import_module(sys.argv[1]).make, boot, sent.append)
    player.step(now, bytes_in)
    out.write(json.dumps("".join(sent)) + "\n")
    out.flush()
    sent.clear()
