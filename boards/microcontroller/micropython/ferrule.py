"""Makes a board that runs MicroPython or CircuitPython a Ferrule device: one file, nothing else to install.

    import ferrule

    board = ferrule.Board("greenhouse")

    @board.sensor(unit="%RH", minimum=0, maximum=100)
    def moisture():
        return adc.read_u16() * 100 / 65535

    @board.actuator(safe=[False], on=bool, hold_for=60000)
    def pump(on):
        relay.value(on)

    board.run()

What travels is docs/link.md of Ferrule; the section numbers below are of that page. docs/micropython.md explains the
rest. All times are in milliseconds.
"""

import struct
import sys
import time

try:
    from micropython import const
except ImportError:

    def const(value):
        return value


__version__ = "0.1.0"

# Error codes (section 9).
_UNSUPPORTED = const(1)
_UNKNOWN = const(2)
_BAD_ARGUMENTS = const(3)
_OUT_OF_RANGE = const(4)
_BUSY = const(5)
_INTERLOCKED = const(6)
_TOO_SOON = const(7)
_NOT_ARMED = const(8)
_TIMED_OUT = const(9)
_CANCELLED = const(10)
_STOPPED = const(11)
_FAILED = const(12)
_TOO_LARGE = const(13)
_NO_SESSION = const(14)
_FORGOTTEN = const(15)

# Members of a record (section 8). A declaration is kept as the map that travels.
_NAME = const(1)
_TYPE = const(4)
_MINIMUM = const(6)
_MAXIMUM = const(7)
_STEP = const(8)  # The host keeps to it.
_VALUES = const(9)
_EVERY = const(10)
_DEAD_BAND = const(11)
_INTERVAL = const(12)
_LONGEST_TIME = const(13)
_OPTIONAL = const(15)
_INITIAL = const(16)
_LONGEST = const(17)
_SAFE = const(18)
_HOLD_FOR = const(19)
_RATE = const(20)
_GROUP = const(21)
_READBACK = const(24)
_ARMING = const(25)

_TYPES = (float, int, bool, str, bytes)
_TYPE_NAMES = ("number", "integer", "boolean", "string", "data", "any")
_FRAME_MAX = const(1024)
_REPORT_EVERY = const(200)
_STOP_GRACE = const(1000)
_TEXT_BYTES = const(100)

# Whether floats have 8 bytes; on most microcontrollers they have 4.
_WIDE = 1.0 + 1e-10 != 1.0

# FCS-16 by half bytes: a table of 256 would cost more memory than it saves time.
_FCS = (
    0x0000, 0x1081, 0x2102, 0x3183, 0x4204, 0x5285, 0x6306, 0x7387,
    0x8408, 0x9489, 0xA50A, 0xB58B, 0xC60C, 0xD68D, 0xE70E, 0xF78F,
)  # fmt: skip


class Failed(Exception):
    """Raise it to tell the host why: `raise Failed("bme280 does not answer: check the wiring")`.

    `code` may be a negative number of your own.
    """

    def __init__(self, text="", code=_FAILED):
        super().__init__(text)
        self.text = text
        self.code = code


class _Refused(Exception):
    def __init__(self, code, text=None):
        super().__init__(text)
        self.code = code
        self.text = text


class _Damaged(Exception):
    pass


def sleep_ms(ms):
    """Waits in a long move, while everything else goes on: `yield from ferrule.sleep_ms(500)`."""
    start = _ticks()
    passed = 0
    while passed < ms:
        yield
        now = _ticks()
        # Counted up, since the counter of the chip begins anew after some days.
        passed += _ticks_diff(now, start)
        start = now


# --- The clock -------------------------------------------------------------------------------------------------------


def _clock():
    if hasattr(time, "ticks_ms"):
        return time.ticks_ms, time.ticks_diff
    try:
        from supervisor import ticks_ms
    except ImportError:
        return (lambda: time.monotonic_ns() // 1000000), (lambda a, b: a - b)
    # CircuitPython's counter has 29 bits.
    return ticks_ms, lambda a, b: ((a - b + 0x10000000) & 0x1FFFFFFF) - 0x10000000


_ticks, _ticks_diff = _clock()


def _pause():
    if hasattr(time, "sleep_ms"):
        time.sleep_ms(1)
    else:
        time.sleep(0.001)


# --- The line --------------------------------------------------------------------------------------------------------


class _Console:
    """The port of print and of the REPL, on MicroPython."""

    def __init__(self):
        import select

        # CPython keeps bytes back in its buffer, where poll does not see them.
        self._in = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
        self._out = sys.stdout.buffer
        self._flush = getattr(sys.stdout, "flush", None)
        poll = select.poll()
        poll.register(sys.stdin, select.POLLIN)
        # ipoll makes no new list each time; CPython has none.
        self._ready = getattr(poll, "ipoll", poll.poll)

    def read(self, buffer):
        # One byte at a time: more would wait until all of them are there.
        for _ in self._ready(0):
            if not self._in.readinto(buffer):
                raise EOFError
            return 1
        return 0

    def write(self, view):
        # What was printed before goes out before.
        if self._flush:
            self._flush()
        wrote = self._out.write(view)
        if self._flush:
            self._flush()
        return wrote


class _Port:
    """A machine.UART, a busio.UART, a usb_cdc.Serial, or anything like them."""

    def __init__(self, stream):
        self._stream = stream
        self.write = stream.write
        self._any = getattr(stream, "any", None)
        # CircuitPython waits for its timeout otherwise.
        for name, value in (("timeout", 0), ("write_timeout", 0.5)):
            if self._any is None and hasattr(stream, name):
                setattr(stream, name, value)

    def read(self, buffer):
        if (self._any() if self._any else self._stream.in_waiting) > 0:
            return self._stream.readinto(buffer) or 0
        return 0


def _line(stream):
    if stream is not None:
        return stream if hasattr(stream, "read") and not hasattr(stream, "readinto") else _Port(stream)
    try:
        import usb_cdc
    except ImportError:
        return _Console()
    return _Port(usb_cdc.data or usb_cdc.console)


# --- CBOR (section 3) ------------------------------------------------------------------------------------------------


def _half(value):
    """The bits of a float as a half, where it is exactly that."""
    size = abs(value)
    exponent = 15
    while exponent > -14 and size < 2.0**exponent:
        exponent -= 1
    steps = size / 2.0 ** (exponent - 10)
    if steps >= 2048 or steps != int(steps):
        return None
    return (0x8000 if value < 0 else 0) | ((exponent + 14) * 1024 + int(steps))


def _whole(value):
    """A float as the integer that it is, which is how it travels."""
    if abs(value) < 9007199254740992 and value == int(value):
        return int(value)
    return value


class _Counter:
    """Takes bytes as the line does, and only counts them."""

    def __init__(self):
        self.length = 0

    def byte(self, _):
        self.length += 1


class _Hash:
    """FNV-1a of 32 bits, in halves that fit into the small integers of a microcontroller."""

    def __init__(self):
        self._high = 0x811C
        self._low = 0x9DC5

    def byte(self, value):
        low = self._low ^ value
        product = low * 0x193
        self._high = (self._high * 0x193 + (product >> 16) + ((low & 0xFF) << 8)) & 0xFFFF
        self._low = product & 0xFFFF

    def value(self):
        return (self._high << 16) | self._low


def _write_head(sink, major, argument):
    if argument < 24:
        sink.byte(major | argument)
        return
    size = 1 if argument < 0x100 else 2 if argument < 0x10000 else 4 if argument < 0x100000000 else 8
    sink.byte(major | (24 if size == 1 else 25 if size == 2 else 26 if size == 4 else 27))
    while size:
        size -= 1
        sink.byte((argument >> (8 * size)) & 0xFF)


def _write_bytes(sink, major, data):
    _write_head(sink, major, len(data))
    for byte in data:
        sink.byte(byte)


def _write(sink, item, depth=1):
    """Writes an item. Raises ValueError for what cannot travel."""
    if item is None:
        sink.byte(0xF6)
    elif item is True or item is False:
        sink.byte(0xF5 if item else 0xF4)
    elif isinstance(item, int):
        if not -9007199254740992 < item < 9007199254740992:
            raise ValueError("an integer beyond 2^53")
        if item < 0:
            _write_head(sink, 0x20, -1 - item)
        else:
            _write_head(sink, 0, item)
    elif isinstance(item, float):
        if item != item or item - item != 0:
            raise ValueError("it gave no number")
        whole = _whole(item)
        if isinstance(whole, int):
            _write(sink, whole)
            return
        bits = _half(item)
        if bits is not None:
            packed = struct.pack(">BH", 0xF9, bits)
        else:
            packed = struct.pack(">Bf", 0xFA, item) if not _WIDE or abs(item) < 3.4e38 else b""
            if _WIDE and (not packed or struct.unpack(">f", packed[1:])[0] != item):
                packed = struct.pack(">Bd", 0xFB, item)
        for byte in packed:
            sink.byte(byte)
    elif isinstance(item, str):
        _write_bytes(sink, 0x60, item.encode())
    elif isinstance(item, (bytes, bytearray, memoryview)):
        _write_bytes(sink, 0x40, item)
    elif depth > 8:
        raise ValueError("nested too deeply")
    elif isinstance(item, (list, tuple)):
        _write_head(sink, 0x80, len(item))
        for member in item:
            _write(sink, member, depth + 1)
    elif isinstance(item, dict):
        _write_head(sink, 0xA0, len(item))
        # Ascending by their bytes: for text that is by length first. Integers come before text.
        for key in sorted(item, key=_order):
            _write(sink, key)
            _write(sink, item[key], depth + 1)
    else:
        raise ValueError("it cannot be sent")


def _order(key):
    if isinstance(key, str):
        data = key.encode()
        return (2, len(data), data)
    if isinstance(key, int):
        return (0, key, b"") if key >= 0 else (1, -1 - key, b"")
    raise ValueError("it cannot be sent")


def _size(item):
    counter = _Counter()
    _write(counter, item)
    return counter.length


def _sendable(value):
    try:
        _size(value)
    except ValueError as reason:
        raise Failed(str(reason))
    return value


class _Reader:
    """Reads what lies in a buffer. Strict: what is not as section 3 says is damaged."""

    def __init__(self, buffer, end):
        self._buffer = buffer
        self._end = end
        self._at = 0

    def message(self):
        item = self._item(1)
        if self._at != self._end:
            raise _Damaged
        return item

    def _take(self, count):
        at = self._at
        if count > self._end - at:
            raise _Damaged
        self._at = at + count
        return at

    def _number(self, size):
        at = self._take(size)
        value = 0
        for index in range(at, at + size):
            value = (value << 8) | self._buffer[index]
        return value

    def _argument(self, head):
        short = head & 0x1F
        if short < 24:
            return short
        if short > 27:
            raise _Damaged
        size = 1 << (short - 24)
        value = self._number(size)
        if value < (24 if size == 1 else 1 << (4 * size)):
            raise _Damaged
        return value

    def _item(self, depth):
        head = self._number(1)
        major = head >> 5
        if major == 7:
            return self._simple(head)
        if major == 6:
            raise _Damaged
        value = self._argument(head)
        if major < 2:
            if value > 9007199254740991 - major:
                raise _Damaged
            return -1 - value if major else value
        if major < 4:
            at = self._take(value)
            data = bytes(self._buffer[at : self._at])
            if major == 2:
                return data
            try:
                return data.decode()
            except ValueError:
                raise _Damaged
        if depth > 8 or value > self._end - self._at:
            raise _Damaged
        if major == 4:
            return [self._item(depth + 1) for _ in range(value)]
        items = {}
        before = None
        for _ in range(value):
            start = self._at
            key = self._item(depth + 1)
            encoded = bytes(self._buffer[start : self._at])
            if encoded[0] >> 5 not in (0, 1, 3) or (before is not None and encoded <= before):
                raise _Damaged
            before = encoded
            items[key] = self._item(depth + 1)
        return items

    def _simple(self, head):
        if head == 0xF4:
            return False
        if head == 0xF5:
            return True
        if head == 0xF6:
            return None
        if head == 0xF9:
            bits = self._number(2)
            exponent = (bits >> 10) & 31
            if exponent == 31:
                raise _Damaged
            value = (bits & 1023) * 2.0**-24 if exponent == 0 else (1024 + (bits & 1023)) * 2.0 ** (exponent - 25)
            return _whole(-value if bits & 0x8000 else value)
        if head != 0xFA and head != 0xFB:
            raise _Damaged
        size = 4 if head == 0xFA else 8
        at = self._take(size)
        value = struct.unpack(">f" if size == 4 else ">d", bytes(self._buffer[at : self._at]))[0]
        if value != value or value - value != 0:
            raise _Damaged
        return _whole(value)


# --- The declarations ------------------------------------------------------------------------------------------------


def _members(*pairs):
    """A map of a record: what is None is left out."""
    return {key: value for key, value in pairs if value is not None}


def _type(type):
    """The number of a type; None for a number, which is what its absence means."""
    if type is None or type is float:
        return None
    if type in _TYPES:
        return _TYPES.index(type)
    raise ValueError("a type is float, int, bool, str or bytes")


def _check_name(name):
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    if not 0 < len(name) <= 64 or name[0] not in letters or any(c not in letters + "0123456789_-" for c in name):
        raise ValueError("%r is no name: a letter, then letters, digits, _ or -" % (name,))
    return name


def _one_of(value, names):
    return names.index(value) if value in names else value


class Arg:
    """One argument of an actuator.

    `type` is float, int, bool, str or bytes. `minimum`, `maximum` and `step` are for numbers, `longest` for text and
    bytes, `values` lists all that is allowed. An `optional` one is given to the function as `initial` when left out, or
    not at all. `name` is needed only where arguments are given to the decorator without one.
    """

    def __init__(
        self,
        type=None,
        minimum=None,
        maximum=None,
        step=None,
        unit=None,
        values=None,
        longest=None,
        title=None,
        description=None,
        optional=False,
        initial=None,
        name=None,
    ):
        if type is None and values:
            type = _kind(values[0])
        self.members = _members(
            (_NAME, name and _check_name(name)),
            (2, title),
            (3, description),
            (_TYPE, _type(type)),
            (5, unit),
            (_MINIMUM, minimum),
            (_MAXIMUM, maximum),
            (_STEP, step),
            (_VALUES, values and list(values)),
            (_OPTIONAL, True if optional else None),
            (_INITIAL, initial),
            (_LONGEST, longest),
        )
        if initial is not None:
            self.check(initial)

    def check(self, value):
        """Refuses a value that does not fit; nothing is clamped."""
        members = self.members
        type = members.get(_TYPE, 0)
        name = members.get(_NAME, "it")
        kind = _TYPES.index(_kind(value)) if _kind(value) in _TYPES else -1
        # A whole number travels as an integer.
        if kind != type and not (kind == 1 and type == 0):
            raise _Refused(_BAD_ARGUMENTS, "%s is no %s" % (name, _TYPE_NAMES[type]))
        if type < 2:
            low = members.get(_MINIMUM)
            high = members.get(_MAXIMUM)
            if (low is not None and value < low) or (high is not None and value > high):
                if low is None or high is None:
                    text = "at most %s" % high if low is None else "at least %s" % low
                    raise _Refused(_OUT_OF_RANGE, "%s must be %s" % (name, text))
                raise _Refused(_OUT_OF_RANGE, "%s must lie between %s and %s" % (name, low, high))
        elif len(value if type > 2 else "") > members.get(_LONGEST, _FRAME_MAX):
            raise _Refused(_OUT_OF_RANGE, "%s is longer than %s" % (name, members[_LONGEST]))
        values = members.get(_VALUES)
        if values is not None and not any(_same(value, one) for one in values):
            raise _Refused(_OUT_OF_RANGE, "%s must be one of %s" % (name, ", ".join(str(one) for one in values)))


def _kind(value):
    # A bool is an int as well on CPython.
    for type in (bool, int, float, str, bytes):
        if isinstance(value, type):
            return type
    return None


def _same(a, b):
    return (a is True or a is False) == (b is True or b is False) and a == b


def _argument(name, what):
    """Makes an argument of what stands behind its name in the decorator."""
    if isinstance(what, Arg):
        argument = what
    elif isinstance(what, (list, tuple)):
        argument = Arg(values=what)
    elif what in _TYPES:
        argument = Arg(what)
    else:
        raise ValueError("%s: %r is no option and no type of an argument" % (name, what))
    argument.members[_NAME] = _check_name(name)
    return argument


class _Sensor:
    def __init__(self, number, read, members, slow):
        self.number = number
        self.read = read
        self.members = members
        self.slow = slow
        # The watch: how long between two looks, or 0 while nobody watches.
        self.period = 0
        self.band = 0
        self.due = 0
        self.told = None


class _Actuator:
    def __init__(self, number, set, members, args, slow):
        self.number = number
        self.set = set
        self.members = members
        self.args = args
        self.slow = slow
        self.safe = members.get(_SAFE)
        # The arguments it was last given; None before the first.
        self.last = None
        self.moved_at = None
        # Whether it is away from its safe value, and how long it may be. On the way back it still counts as away.
        self.away = False
        self.hold_until = None
        # The generator of a long move; whether it goes to the safe value, and with what the call then ends.
        self.steps = None
        self.call = None
        self.ending = 0
        self.until = 0
        self.failure = None
        self.report = None
        self.report_at = 0


class Board:
    """A device: its sensors and actuators, and the link to the host.

    `stream` is a machine.UART, a busio.UART or a usb_cdc port; left out, it is the port of print (on CircuitPython
    usb_cdc.data, where boot.py enabled it). `boot` is the path of a file, or the microcontroller.nvm, that counts the
    starts; left out, a random number stands for it. `frame` is the longest message it takes, in bytes, `calls` how many
    long moves may be under way at a time. `fail_safe` is how long the host may be silent before everything goes to its
    safe value, `answer_time` how long one of your functions may take. No frame holds the byte of Ctrl-C, so an editor
    can end the program; where noise on a UART does that as well, say ctrl_c=False.
    """

    def __init__(
        self,
        name,
        stream=None,
        title=None,
        description=None,
        version=None,
        id=None,
        boot=None,
        fail_safe=5000,
        answer_time=100,
        calls=4,
        frame=256,
        largest_answer=128,
        receive_buffer=None,
        ctrl_c=True,
    ):
        self._name = _check_name(name)
        self._about = _members((2, title), (3, description))
        self._version = version
        self._id = _unique_id() if id is None else id
        self._boot = boot
        self._answer_time = answer_time
        self._places = calls
        self._receive_buffer = receive_buffer
        self._largest = largest_answer
        self._ctrl_c = ctrl_c
        self._sensors = []
        self._actuators = []
        self._arming = False
        self._armed = False
        self._stream = stream
        self._line = None
        self._hash = 0
        self._records = 0
        # Receiving: section 2.
        self._byte_in = bytearray(1)
        self._frame = bytearray(min(max(frame, 48), _FRAME_MAX))
        self._length = -1
        self._escaped = False
        self._fcs_in = 0
        # Sending.
        self._out = bytearray(64)
        self._out_view = memoryview(self._out)
        self._out_at = 0
        self._fcs_out = 0
        self._host_frame = _FRAME_MAX
        # The session.
        self._session = 0
        self._used = False
        self._calls = []
        self._newest = None
        self._updates = 0
        self._own_period = fail_safe
        self._period = fail_safe
        self._heard_at = 0
        self._is_silent = True
        # A stop that waits for long ways to the safe value: who asked, and until when.
        self._stopping = None
        self._said = None
        self._now = 0
        self._tick = 0

    # --- Declaring -----------------------------------------------------------------------------------------------

    def sensor(
        self,
        unit=None,
        minimum=None,
        maximum=None,
        type=None,
        title=None,
        description=None,
        every=None,
        dead_band=None,
        min_interval=None,
        longest_time=None,
        device_class=None,
        state_class=None,
        name=None,
        slow=False,
    ):
        """Declares a function that takes one reading. It may return None for "nothing now", or raise Failed.

        `slow` says that it may take longer than the answer time. `every` is how often there is a new value, `dead_band`
        and `min_interval` what a watcher is not told.
        """

        def declare(read):
            called = _check_name(name or read.__name__)
            members = _members(
                (_NAME, called),
                (2, title),
                (3, description),
                (_TYPE, _type(type)),
                (5, unit),
                (_MINIMUM, minimum),
                (_MAXIMUM, maximum),
                (_EVERY, every),
                (_DEAD_BAND, dead_band),
                (_INTERVAL, min_interval),
                (_LONGEST_TIME, longest_time),
                (28, device_class),
                (29, _one_of(state_class, ("measurement", "total", "rising"))),
            )
            self._unused(called, self._sensors)
            self._sensors.append(_Sensor(len(self._sensors), read, members, slow))
            return read

        if callable(unit):
            read = unit
            unit = None
            return declare(read)
        return declare

    def actuator(
        self,
        *args,
        safe,
        title=None,
        description=None,
        initial=None,
        hold_for=None,
        min_interval=None,
        rate=None,
        group=None,
        confirm=None,
        audience=None,
        readback=None,
        arming=None,
        longest_time=None,
        undo=False,
        idempotent=False,
        closed_world=False,
        name=None,
        slow=False,
        **named
    ):
        """Declares a function that moves something. It is called with its arguments by name.

        The arguments follow as `on=bool`, `level=Arg(int, 0, 100)` or `mode=("day", "night")`. `safe` is what makes it
        safe: a list by position, a dict by name where there are several, or None where there is nothing to make safe.
        A function that yields is a long move: it is broken off by a cancel, a stop or silence of the host. What it
        yields is its progress: a number, (number, total), (number, total, text), text or None.
        """

        def declare(set):
            called = _check_name(name or set.__name__)
            for argument in args:
                if _NAME not in argument.members:
                    raise ValueError("%s: an argument has no name" % called)
            # MicroPython forgets the order in which they stand in the source.
            listed = list(args) + [_argument(each, named[each]) for each in sorted(named)]
            by_position = len(named) < 2 and not (args and named)
            members = _members(
                (_NAME, called),
                (2, title),
                (3, description),
                (_INTERVAL, min_interval),
                (_LONGEST_TIME, longest_time),
                (14, (1 if undo else 0) | (2 if idempotent else 0) | (4 if closed_world else 0) or None),
                (_INITIAL, _positions(called, "initial", initial, listed, by_position)),
                (_HOLD_FOR, hold_for),
                (_RATE, rate),
                (_GROUP, group),
                (22, _one_of(confirm, ("never", "first", "each"))),
                (23, _one_of(audience, ("model", "person"))),
                (_READBACK, readback),
                (_ARMING, True if arming else None),
            )
            members[_SAFE] = _positions(called, "safe", safe, listed, by_position)
            if safe is None and (hold_for or arming or group is not None):
                raise ValueError("%s: hold_for, group and arming need a safe value" % called)
            self._unused(called, self._actuators)
            self._actuators.append(_Actuator(len(self._actuators), set, members, listed, slow))
            self._arming = self._arming or bool(arming)
            return set

        return declare

    def _unused(self, name, those):
        if self._line is not None:
            raise ValueError("%s: declare it before the board starts" % name)
        if any(one.members[_NAME] == name for one in those):
            raise ValueError("%s is there twice" % name)

    # --- Running -------------------------------------------------------------------------------------------------

    def start(self):
        """Puts every actuator into its initial or safe value and says hello. The first poll does it by itself."""
        if self._line is not None:
            return
        for actuator in self._actuators:
            self._find_readback(actuator.members)
        digest = _Hash()
        number = 0
        while True:
            record = self._record(number)
            if record is None:
                break
            if _size(record) > _FRAME_MAX - 12:
                raise ValueError("%r: its texts are too long for the link" % (record[-1].get(_NAME, self._name),))
            _write(digest, record)
            number += 1
        self._records = number
        self._hash = digest.value()
        self._line = _line(self._stream)
        if not self._ctrl_c:
            from micropython import kbd_intr

            kbd_intr(-1)
        self._boot = _boot_count(self._boot)
        self._tick = _ticks()
        for actuator in self._actuators:
            first = actuator.members.get(_INITIAL, actuator.safe)
            if first is not None:
                self._give(actuator, first, None)
                # What it is given at boot is no move yet.
                actuator.moved_at = None
        # Ends whatever the boot loader printed, or the frame that the restart cut.
        self._raw(0x0A)
        self._flush()
        self._send([14, 0, 1, self._hello()])

    def poll(self):
        """Does what there is to do, and returns at once: whether there was anything. Call it in a loop of your own."""
        if self._line is None:
            self.start()
        tick = _ticks()
        self._now += _ticks_diff(tick, self._tick)
        self._tick = tick
        busy = False
        # At most one frame at a time, so that moves and the fail-safe timer get their turn in any flood.
        left = len(self._frame)
        while left and self._read():
            busy = True
            left = 0 if self._receive(self._byte_in[0]) else left - 1
        if not self._is_silent and self._now - self._heard_at >= self._period:
            self._is_silent = True
            self._all_safe()
            self.log("nothing came from the host for too long: everything was put into its safe value", 4)
        for actuator in self._actuators:
            if actuator.steps is not None:
                self._step(actuator)
                busy = True
            if actuator.hold_until is not None and self._now >= actuator.hold_until:
                self._break_off(actuator, _TIMED_OUT)
                self.log("%s was away from its safe value for too long" % actuator.members[_NAME], 4)
        if self._stopping is not None:
            self._end_stop()
        for sensor in self._sensors:
            if sensor.period and self._now >= sensor.due:
                self._look(sensor)
        return busy

    def run(self, also=None):
        """Serves the board for good. Ctrl-C ends it, with everything in its safe value.

        `also` is a function for what the board does by itself: called in each turn, it returns at once.
        """
        try:
            while True:
                busy = self.poll()
                if also:
                    try:
                        also()
                    except Exception as thrown:
                        self._told(thrown, {_NAME: "also"})
                if not busy:
                    _pause()
        finally:
            self.close()

    async def run_async(self):
        """The same as a task of asyncio, beside others."""
        import asyncio

        try:
            while True:
                await asyncio.sleep(0 if self.poll() else 0.002)
        finally:
            self.close()

    def close(self):
        """Everything into its safe value. For programs that end; a poll after it goes on."""
        if self._line is None:
            return
        self._all_safe()
        start = _ticks()
        while _ticks_diff(_ticks(), start) < _STOP_GRACE and any(each.steps is not None for each in self._actuators):
            for actuator in self._actuators:
                if actuator.steps is not None:
                    self._step(actuator)
            _pause()
        self._end_session(0)

    def log(self, text, severity=6):
        """Sends a line of the log, with a severity of RFC 5424: 0 (emergency) to 7 (debug)."""
        self._send([17, self._session, severity, _bounded(text, 200)])

    @property
    def armed(self):
        """Whether actuators that were declared with arming may move."""
        return self._armed

    # --- Bytes ---------------------------------------------------------------------------------------------------

    def _read(self):
        try:
            return self._line.read(self._byte_in)
        except OSError:
            return 0

    def _receive(self, byte):
        """Takes a byte of the line. Returns True when a frame ended."""
        if byte == 0xFE:
            self._length = 0
            self._escaped = False
            self._fcs_in = 0xFFFF
        elif byte == 0x0A:
            length = self._length
            self._length = -1
            if length > 2 and not self._escaped and self._fcs_in == 0xF0B8:
                self._take(length - 2)
                return True
        elif byte == 0x0D or self._length < 0:
            pass
        elif byte == 0x7D:
            if self._escaped:
                self._length = -1
            self._escaped = True
        else:
            if self._escaped:
                byte ^= 0x20
            reserved = byte < 0x20 or byte >= 0xFE or byte == 0x7D or byte == 0x7F
            if reserved != self._escaped or self._length == len(self._frame):
                self._length = -1
                return False
            self._escaped = False
            byte ^= 0xC0
            self._frame[self._length] = byte
            self._length += 1
            fcs = self._fcs_in ^ byte
            fcs = (fcs >> 4) ^ _FCS[fcs & 15]
            self._fcs_in = (fcs >> 4) ^ _FCS[fcs & 15]
        return False

    def byte(self, value):
        """Takes the next byte of a message that is sent. Not for users."""
        fcs = self._fcs_out ^ value
        fcs = (fcs >> 4) ^ _FCS[fcs & 15]
        self._fcs_out = (fcs >> 4) ^ _FCS[fcs & 15]
        self._stuff(value)

    def _stuff(self, value):
        value ^= 0xC0
        if value < 0x20 or value >= 0xFE or value == 0x7D or value == 0x7F:
            self._raw(0x7D)
            value ^= 0x20
        self._raw(value)

    def _raw(self, value):
        if self._out_at == len(self._out):
            self._flush()
        self._out[self._out_at] = value
        self._out_at += 1

    def _flush(self):
        length = self._out_at
        self._out_at = 0
        at = 0
        start = _ticks()
        try:
            while at < length:
                wrote = self._line.write(self._out_view[at:length])
                at += wrote or 0
                # A host that does not read costs a frame, not the loop.
                if not wrote and _ticks_diff(_ticks(), start) > 200:
                    return
        except OSError:
            pass

    def _send(self, message, least=3):
        """Sends a message. Returns False when the host has no room for it; raises ValueError for what cannot travel."""
        while len(message) > least and message[-1] is None:
            message.pop()
        if _size(message) + 2 > self._host_frame:
            return False
        self._fcs_out = 0xFFFF
        self._raw(0xFE)
        _write(self, message)
        fcs = self._fcs_out ^ 0xFFFF
        self._stuff(fcs & 0xFF)
        self._stuff(fcs >> 8)
        self._raw(0x0A)
        self._flush()
        return True

    # --- Messages ------------------------------------------------------------------------------------------------

    def _take(self, length):
        try:
            message = _Reader(memoryview(self._frame), length).message()
            if isinstance(message, list) and len(message) > 1 and _is_whole(message[0], -(1 << 31)):
                message.extend((None, None, None, None, None))
                self._serve(message)
        except (_Damaged, MemoryError):
            # As if it had got lost: the host repeats it.
            pass

    def _serve(self, message):
        kind, session, id, fourth, fifth, sixth = message[:6]
        if not _is_whole(session, 0, 0xFFFF):
            return
        if kind == 0:
            if session and _is_whole(id, 0) and isinstance(fourth, dict):
                self._greet(session, id, fourth)
            return
        if kind == 4 or kind == 5:
            if not _is_whole(id, 0, 255):
                return
            if kind == 4 and not (_is_whole(fourth, 0) and isinstance(fifth, list) and _is_value(fifth)):
                return
        elif 0 < kind < 10:
            if not _is_whole(id, -24, 255):
                return
            if kind in (2, 3, 6, 7) and not _is_whole(fourth, 0):
                return
            if kind == 6 and not (_is_duration(fifth) and _is_duration(sixth)):
                return
            if kind == 9 and fourth is not True and fourth is not False:
                return
        elif 12 <= kind <= 17:
            return
        elif not _is_whole(id, -24, 255):
            id = None
        if kind == 8:
            self._stop(session, id)
            return
        if session != self._session or session == 0:
            if id is not None:
                self._send([13, session, id, _NO_SESSION])
            return
        self._used = True
        self._feed()
        if kind == 1:
            self._send([12, session, id, self._updates & 0xFF])
        elif kind == 2:
            record = self._record(fourth)
            if record is None:
                self._error(id, _UNKNOWN)
            else:
                self._result(id, record)
        elif kind == 3 or kind == 6:
            self._read_sensor(id, fourth, kind == 6, fifth, sixth)
        elif kind == 4:
            self._call(id, fourth, fifth, sixth)
        elif kind == 5:
            self._cancel(id)
        elif kind == 7:
            if fourth < len(self._sensors):
                self._sensors[fourth].period = 0
            self._send([12, session, id])
        elif kind == 9 and self._arming:
            self._arm(fourth)
            self._send([12, session, id, self._armed])
        elif id is not None:
            self._error(id, _UNSUPPORTED)

    def _greet(self, session, version, members):
        if version == 1 and (session != self._session or self._used):
            self._end_session(session)
            longest = members.get(1)
            self._host_frame = min(_FRAME_MAX, longest) if _is_whole(longest, 48) else _FRAME_MAX
            period = members.get(2)
            self._period = min(self._own_period, max(300, period)) if _is_whole(period, 1) else self._own_period
            # Not by a copy: who says hello again and again hears nothing of us.
            self._feed()
        self._send([14, session, 1, self._hello()])

    def _hello(self):
        return _members(
            (1, self._name),
            (2, self._id),
            (3, self._version),
            (4, self._hash),
            (5, self._records),
            (6, self._boot),
            (7, len(self._frame)),
            (8, self._places),
            (9, self._period),
            (10, self._answer_time),
            (11, self._largest),
            (12, 8 if _WIDE else 4),
            (14, self._receive_buffer),
            (15, self._armed if self._arming else None),
        )

    def _end_session(self, session):
        # What runs is broken off, and nobody is told: its host is gone.
        self._calls = []
        self._newest = None
        self._session = session
        self._used = False
        self._updates = 0
        self._is_silent = True
        for sensor in self._sensors:
            sensor.period = 0
        for actuator in self._actuators:
            if actuator.call is not None:
                actuator.call = None
                self._break_off(actuator, _STOPPED)

    def _feed(self):
        self._heard_at = self._now
        self._is_silent = False

    def _error(self, id, code, text=None):
        self._send([13, self._session, id, code, text])

    def _result(self, id, value):
        try:
            if not self._send([12, self._session, id, value]):
                self._error(id, _TOO_LARGE)
        except ValueError as reason:
            # The outcome of a call, changed by the program since it was remembered.
            self._error(id, _FAILED, str(reason))

    def _record(self, number):
        """The record of the description with this number, made when it is asked for."""
        if number == 0:
            return [0, self._about]
        number -= 1
        if number < len(self._sensors):
            return [1, number, self._sensors[number].members]
        number -= len(self._sensors)
        for actuator in self._actuators:
            if number == 0:
                return [2, actuator.number, actuator.members]
            number -= 1
            if number < len(actuator.args):
                return [3, actuator.number, number, actuator.args[number].members]
            number -= len(actuator.args)
        return None

    def _find_readback(self, members):
        readback = members.get(_READBACK)
        if callable(readback) or isinstance(readback, str):
            for number, sensor in enumerate(self._sensors):
                if sensor.read is readback or sensor.members[_NAME] == readback:
                    members[_READBACK] = number
                    return
            raise ValueError("%s: there is no such sensor to read back" % members[_NAME])

    # --- Sensors -------------------------------------------------------------------------------------------------

    def _read_sensor(self, id, number, watch, interval, band):
        if number >= len(self._sensors):
            self._error(id, _UNKNOWN)
            return
        sensor = self._sensors[number]
        if sensor.slow:
            self._send([16, self._session, id])
        value = None
        failure = None
        try:
            value = self._reading(sensor)
        except Exception as thrown:
            failure = thrown
        if watch:
            members = sensor.members
            if interval is None:
                interval = members.get(_INTERVAL, 1000)
            # Looked at as often as something may be told.
            sensor.period = max(int(interval), members.get(_EVERY, 0), 10)
            sensor.band = members.get(_DEAD_BAND, 0) if band is None else band
            sensor.due = self._now + sensor.period
            # A sensor that gives nothing now is watched all the same.
            sensor.told = value
        if failure is None:
            self._result(id, value)
        else:
            self._error(id, *self._told(failure, sensor.members))

    def _reading(self, sensor):
        value = sensor.read()
        return _sendable(value)

    def _look(self, sensor):
        sensor.due = self._now + sensor.period
        try:
            value = self._reading(sensor)
        except Exception as thrown:
            self._told(thrown, sensor.members)
            value = None
        told = sensor.told
        if _kind(value) in (int, float) and _kind(told) in (int, float):
            differs = abs(value - told) > sensor.band
        else:
            differs = not _same(value, told)
        if differs:
            sensor.told = value
            self._updates += 1
            if not self._send([15, self._session, sensor.number, value], 4):
                self._send([15, self._session, sensor.number, None], 4)

    def _told(self, thrown, members):
        """What the host is told of a failure. The place in the program goes to the line as text, for the person."""
        if isinstance(thrown, Failed):
            code = thrown.code if thrown.code < 0 else _FAILED
            return code, _bounded(thrown.text, _TEXT_BYTES) or None
        text = _bounded("%s: %s" % (thrown.__class__.__name__, thrown), _TEXT_BYTES)
        said = (members[_NAME], text)
        if said != self._said:
            self._said = said
            _print_exception(thrown)
        return _FAILED, text

    # --- Calls (section 6) ---------------------------------------------------------------------------------------

    def _find_call(self, id):
        for call in self._calls:
            if call[0] == id:
                return call
        return None

    def _is_new(self, id):
        return self._newest is None or 0 < ((id - self._newest) & 0xFF) < 128

    def _remember(self, id, still_open):
        """A place for a call: [id, outcome, value or text]. None when there is none."""
        self._newest = id
        if still_open is not None:
            self._calls = [call for call in self._calls if call[1] is None or call[0] in still_open]
        if len(self._calls) >= self._places:
            return None
        call = [id, None, None]
        self._calls.append(call)
        return call

    def _call(self, id, number, args, still_open):
        call = self._find_call(id)
        if call is not None:
            self._answer(call)
            return
        if not self._is_new(id):
            self._error(id, _FORGOTTEN)
            return
        call = self._remember(id, still_open if isinstance(still_open, list) else [])
        if call is None:
            self._error(id, _BUSY)
            return
        try:
            if number >= len(self._actuators):
                raise _Refused(_UNKNOWN)
            actuator = self._actuators[number]
            if actuator.steps is not None:
                raise _Refused(_BUSY)
            given = _fitting(actuator, args)
            self._check_rules(actuator, given)
        except _Refused as refused:
            self._end_call(call, refused.code, refused.text)
            return
        if actuator.slow:
            self._answer(call)
        self._give(actuator, given, call)

    def _check_rules(self, actuator, given):
        """The rules that the device keeps by itself (section 8)."""
        members = actuator.members
        safe = actuator.safe
        if safe is not None and _same_list(given, safe):
            return
        if _ARMING in members and not self._armed:
            raise _Refused(_NOT_ARMED)
        group = members.get(_GROUP)
        if group is not None:
            for other in self._actuators:
                if other is not actuator and other.members.get(_GROUP) == group and other.away:
                    raise _Refused(_INTERLOCKED, "%s is on" % other.members[_NAME])
        passed = None if actuator.moved_at is None else self._now - actuator.moved_at
        interval = members.get(_INTERVAL, 0)
        if passed is not None and passed < interval:
            raise _Refused(_TOO_SOON, "wait %d ms" % (interval - passed))
        rate = members.get(_RATE)
        if rate is not None and actuator.last is not None:
            most = rate * (1000 if passed is None else min(passed, 1000)) / 1000
            for index, value in enumerate(given):
                before = actuator.last[index]
                if _kind(value) in (int, float) and before is not None and abs(value - before) > most:
                    raise _Refused(_TOO_SOON, "at most %s a second" % rate)

    def _cancel(self, id):
        call = self._find_call(id)
        if call is None:
            if not self._is_new(id):
                self._error(id, _FORGOTTEN)
                return
            call = self._remember(id, None)
            if call is not None:
                self._end_call(call, _CANCELLED)
            else:
                # Without a place it is not remembered; that its id is used keeps it from running all the same.
                self._error(id, _CANCELLED)
            return
        if call[1] is not None:
            self._answer(call)
            return
        for actuator in self._actuators:
            if actuator.call is call:
                self._break_off(actuator, _CANCELLED)
                break
        else:
            # Memory ran out while it began.
            self._end_call(call, _CANCELLED)
        if call[1] is None:
            # It may take a while to get safe: the host hears that its cancel has arrived.
            self._answer(call)

    def _answer(self, call):
        if call[1] is None:
            self._send([16, self._session, call[0]])
        elif call[1] == 0:
            self._result(call[0], call[2])
        else:
            self._error(call[0], call[1], call[2])

    def _end_call(self, call, code, text=None):
        if call is not None:
            call[1] = code
            call[2] = text
            self._answer(call)

    # --- Moves ---------------------------------------------------------------------------------------------------

    def _give(self, actuator, given, call):
        """Moves an actuator; `call` is None when nobody asked."""
        is_safe = actuator.safe is not None and _same_list(given, actuator.safe)
        if is_safe:
            actuator.hold_until = None
        elif actuator.safe is not None:
            actuator.away = True
            if actuator.hold_until is None and _HOLD_FOR in actuator.members:
                actuator.hold_until = self._now + actuator.members[_HOLD_FOR]
        if call is not None or actuator.away or actuator.steps is not None:
            # What is safe already does not move when it is made safe.
            actuator.moved_at = self._now
        actuator.last = given
        actuator.failure = None
        named = {}
        for index, argument in enumerate(actuator.args):
            if index < len(given) and given[index] is not None:
                named[argument.members[_NAME]] = given[index]
        try:
            value = actuator.set(**named)
        except Exception as thrown:
            self._fail(actuator, thrown)
            self._end_call(call, *actuator.failure)
            return
        if not hasattr(value, "send"):
            actuator.away = not is_safe and actuator.safe is not None
            self._end_call(call, *self._outcome(value, actuator))
            return
        actuator.steps = value
        actuator.call = call
        actuator.ending = 0
        actuator.until = self._now + actuator.members.get(_LONGEST_TIME, 60000)
        actuator.report = None
        actuator.report_at = self._now
        self._step(actuator)
        if call is not None and call[1] is None and actuator.report is None:
            # The host is to know at once that it goes on.
            self._answer(call)

    def _fail(self, actuator, thrown):
        actuator.failure = self._told(thrown, actuator.members)
        if actuator.safe is not None and _same_list(actuator.last, actuator.safe):
            self.log("%s could not be made safe" % actuator.members[_NAME], 2)
            if actuator.away and _HOLD_FOR in actuator.members:
                # Tried again.
                actuator.hold_until = self._now + 1000

    def _outcome(self, value, actuator):
        try:
            return 0, _sendable(value)
        except Failed as thrown:
            return self._told(thrown, actuator.members)

    def _step(self, actuator):
        """One step of a long move."""
        if self._now >= actuator.until:
            if actuator.ending or actuator.call is None:
                # The way to the safe value itself takes too long: nothing more can be done.
                self._close_steps(actuator)
                self._fail(actuator, Failed("it did not get into its safe value in time"))
                self._end_move(actuator, *actuator.failure)
            else:
                self._break_off(actuator, _TIMED_OUT)
            return
        try:
            report = next(actuator.steps)
        except StopIteration as end:
            value = end.value if hasattr(end, "value") else end.args[0] if end.args else None
            actuator.away = actuator.safe is not None and not _same_list(actuator.last, actuator.safe)
            if actuator.ending:
                self._end_move(actuator, actuator.ending, None)
            else:
                self._end_move(actuator, *self._outcome(value, actuator))
            return
        except Exception as thrown:
            self._fail(actuator, thrown)
            self._end_move(actuator, *actuator.failure)
            return
        if report is None or actuator.call is None or actuator.ending:
            return
        if report != actuator.report and self._now >= actuator.report_at:
            actuator.report = report
            actuator.report_at = self._now + _REPORT_EVERY
            self._report(actuator.call[0], report)

    def _report(self, id, report):
        if isinstance(report, str):
            report = (None, None, report)
        elif not isinstance(report, tuple):
            report = (report,)
        done, total, text = (report + (None, None))[:3]
        try:
            self._send([16, self._session, id, done, total, None if text is None else _bounded(text, _TEXT_BYTES)])
        except ValueError:
            self._send([16, self._session, id])

    def _end_move(self, actuator, code, value):
        call = actuator.call
        actuator.steps = None
        actuator.call = None
        actuator.ending = 0
        self._end_call(call, code, value)

    def _close_steps(self, actuator):
        try:
            actuator.steps.close()
        except Exception as thrown:
            self._told(thrown, actuator.members)
        actuator.steps = None

    def _break_off(self, actuator, code):
        """Ends what moves and makes it safe; its call ends with the code when it is. Returns whether it got there."""
        if actuator.steps is not None:
            if actuator.ending:
                return False
            if actuator.safe is not None and actuator.call is None and _same_list(actuator.last, actuator.safe):
                return False
            self._close_steps(actuator)
        call = actuator.call
        actuator.call = None
        if actuator.safe is None:
            self._end_call(call, code)
            return True
        self._give(actuator, actuator.safe, None)
        if actuator.failure is not None:
            self._end_call(call, *actuator.failure)
            return False
        if actuator.steps is None:
            self._end_call(call, code)
            return True
        actuator.call = call
        actuator.ending = code
        return False

    def _all_safe(self):
        """Everything into its safe value. Returns the numbers of those that are not there yet."""
        self._armed = False
        return [each.number for each in self._actuators if not self._break_off(each, _STOPPED)]

    def _stop(self, session, id):
        if session == self._session and session:
            self._feed()
        left = self._all_safe()
        if any(self._actuators[number].steps is not None for number in left):
            # Said again by the host, it only asks how far it is.
            self._send([16, session, id])
            until = self._now + _STOP_GRACE
            if self._stopping is not None and self._stopping[:2] == (session, id):
                until = self._stopping[2]
            self._stopping = (session, id, until, left)
        else:
            self._stopping = None
            self._send([12, session, id, left or None])

    def _end_stop(self):
        session, id, until, left = self._stopping
        moving = any(self._actuators[number].steps is not None for number in left)
        if moving and self._now < until:
            return
        self._stopping = None
        left = [each for each in left if self._actuators[each].steps is not None or self._actuators[each].failure]
        self._send([12, session, id, left or None])

    def _arm(self, armed):
        if not armed:
            for actuator in self._actuators:
                if _ARMING in actuator.members:
                    self._break_off(actuator, _STOPPED)
        self._armed = armed


# --- Small things ----------------------------------------------------------------------------------------------------


def _is_whole(item, least, most=9007199254740991):
    return isinstance(item, int) and item is not True and item is not False and least <= item <= most


def _is_duration(item):
    return item is None or (_kind(item) in (int, float) and item >= 0)


def _is_value(item):
    """Whether an item is a value: the keys of its maps are text."""
    if isinstance(item, list):
        return all(_is_value(each) for each in item)
    if isinstance(item, dict):
        return all(isinstance(key, str) and _is_value(item[key]) for key in item)
    return True


def _same_list(a, b):
    for index in range(max(len(a), len(b))):
        one = a[index] if index < len(a) else None
        other = b[index] if index < len(b) else None
        if not _same(one, other):
            return False
    return True


def _fitting(actuator, args):
    """The arguments of a call by position, as long as the description says. Raises _Refused."""
    if len(args) > len(actuator.args):
        raise _Refused(_BAD_ARGUMENTS, "too many arguments")
    given = []
    for index, argument in enumerate(actuator.args):
        value = args[index] if index < len(args) else None
        if value is not None:
            argument.check(value)
        elif argument.members.get(_OPTIONAL):
            value = argument.members.get(_INITIAL)
        else:
            raise _Refused(_BAD_ARGUMENTS, "%s is missing" % argument.members[_NAME])
        given.append(value)
    return given


def _positions(actuator, what, values, args, by_position):
    """The safe or initial arguments as they travel, checked."""
    if values is None:
        return None
    if isinstance(values, dict):
        names = [argument.members[_NAME] for argument in args]
        for name in values:
            if name not in names:
                raise ValueError("%s: %s names %s, which is no argument" % (actuator, what, name))
        values = [values.get(name) for name in names]
    elif not by_position:
        raise ValueError("%s: name the arguments, as in %s={'%s': ...}" % (actuator, what, args[0].members[_NAME]))
    elif not isinstance(values, (list, tuple)):
        values = [values]
    holder = _Actuator(0, None, {}, args, False)
    try:
        given = _fitting(holder, list(values))
    except _Refused as refused:
        raise ValueError("%s: %s: %s" % (actuator, what, refused.text))
    while given and given[-1] is None:
        given.pop()
    return given


def _bounded(text, most):
    """Text of at most so many bytes, in one line."""
    text = "".join(letter if " " <= letter != "\x7f" else " " for letter in str(text)[:most])
    while len(text.encode()) > most:
        text = text[:-1]
    return text


def _print_exception(thrown):
    if hasattr(sys, "print_exception"):
        sys.print_exception(thrown)
        return
    try:
        import traceback

        traceback.print_exception(thrown.__class__, thrown, thrown.__traceback__, file=sys.stdout)
    except ImportError:
        print(thrown)


def _unique_id():
    try:
        import machine

        return bytes(machine.unique_id())
    except (ImportError, AttributeError):
        pass
    try:
        import microcontroller

        return bytes(microcontroller.cpu.uid)
    except (ImportError, AttributeError):
        return None


def _boot_count(where):
    """Counts this start, in a file or in bytes that outlive it; a random number where that cannot be."""
    if isinstance(where, int):
        return where
    try:
        if isinstance(where, str):
            try:
                with open(where) as file:
                    count = int(file.read() or 0) + 1
            except (OSError, ValueError):
                count = 1
            with open(where, "w") as file:
                file.write(str(count))
            return count
        if where is not None:
            # Bytes that were never written are FF.
            count = (struct.unpack(">I", bytes(where[0:4]))[0] + 1) & 0x7FFFFFFF
            where[0:4] = struct.pack(">I", count)
            return count
    except (OSError, RuntimeError):
        pass
    try:
        from os import urandom

        return struct.unpack(">I", urandom(4))[0] & 0x3FFFFFFF
    except ImportError:
        from random import getrandbits

        return getrandbits(30)
