"""Arrow streams, read by Python alone. pyarrow, pandas and polars take the stream itself."""

import ctypes
import datetime
import decimal
import uuid

from ._errors import QuireError
from ._library import ffi
from ._values import EPOCH

STREAM = ffi.typeof("struct ArrowArrayStream *")
SCHEMA = ffi.typeof("struct ArrowSchema *")
ARRAY = ffi.typeof("struct ArrowArray *")

# The letters of memoryview for the formats of numbers.
NUMBERS = {"s": ("h", 2), "i": ("i", 4), "l": ("q", 8), "L": ("Q", 8), "f": ("f", 4), "g": ("d", 8)}


class Stream:
    """A result of a fetch, which is read once."""

    def __init__(self, pointer):
        self.pointer = pointer

    def __del__(self):
        pointer, self.pointer = self.pointer, None
        if pointer is not None and pointer.release:
            pointer.release(pointer)

    def fields(self):
        """Returns the names, formats and extensions of the columns."""
        schema = ffi.new(SCHEMA)
        self._check(self.pointer.get_schema(self.pointer, schema))
        try:
            return [field(schema.children[index]) for index in range(schema.n_children)]
        finally:
            schema.release(schema)

    def batches(self, fields=None):
        """Yields the parts of the result. A caller that knows the columns passes them."""
        fields = fields or self.fields()
        while True:
            array = ffi.new(ARRAY)
            self._check(self.pointer.get_next(self.pointer, array))
            if not array.release:
                return
            yield Batch(array, fields)

    def _check(self, code):
        if code:
            message = self.pointer.get_last_error(self.pointer)
            raise QuireError(ffi.string(message).decode() if message else "The result can't be read.")


def field(schema):
    name = ffi.string(schema.name).decode()
    return name, ffi.string(schema.format).decode(), extension(schema.metadata)


def extension(metadata):
    """Returns the name of the extension in the metadata of a column, or None."""
    if not metadata:
        return None
    place = 0

    def number():
        nonlocal place
        found = int.from_bytes(ffi.buffer(metadata + place, 4), "little")
        place += 4
        return found

    def word():
        nonlocal place
        count = number()
        found = bytes(ffi.buffer(metadata + place, count)).decode()
        place += count
        return found

    pairs = [(word(), word()) for _ in range(number())]
    return dict(pairs).get("ARROW:extension:name")


class Batch:
    """Some rows of a result. A column is decoded when it is first used."""

    def __init__(self, array, fields):
        self.array = array
        self.fields = fields
        self.count = array.length
        self.places = {name: index for index, (name, _, _) in enumerate(fields)}
        self.columns = {}

    def __del__(self):
        array, self.array = self.array, None
        if array is not None and array.release:
            array.release(array)

    def column(self, name):
        """Returns the values of a column as a list."""
        known = self.columns.get(name)
        if known is None:
            index = self.places[name]
            known = decoded(self.array.children[index], *self.fields[index][1:])
            self.columns[name] = known
        return known


def decoded(array, format, extension):
    """Returns the values of an array as a list of Python's values."""
    count = array.length
    if format in NUMBERS:
        letter, width = NUMBERS[format]
        values = memoryview(ffi.buffer(array.buffers[1], count * width)).cast(letter).tolist()
    elif format == "b":
        values = bits(array.buffers[1], count)
    elif format.startswith("tsu"):
        numbers = memoryview(ffi.buffer(array.buffers[1], count * 8)).cast("q").tolist()
        values = [date(number) for number in numbers]
    elif format == "tdD":
        numbers = memoryview(ffi.buffer(array.buffers[1], count * 4)).cast("i").tolist()
        values = [day(number) for number in numbers]
    elif format in ("U", "Z"):
        ends = memoryview(ffi.buffer(array.buffers[1], (count + 1) * 8)).cast("q").tolist()
        heap = bytes(ffi.buffer(array.buffers[2], ends[-1]))
        values = [heap[ends[index] : ends[index + 1]] for index in range(count)]
        if format == "U":
            values = [value.decode() for value in values]
    elif format == "w:16":
        heap = bytes(ffi.buffer(array.buffers[1], count * 16))
        values = [uuid.UUID(bytes=heap[index * 16 : index * 16 + 16]) for index in range(count)]
    else:
        raise QuireError(f"A column has the unknown format {format!r}.")
    if array.null_count and array.buffers[0]:
        given = bits(array.buffers[0], count)
        values = [value if is_given else None for value, is_given in zip(values, given)]
    if extension == "quire.decimal":
        values = [None if value is None else decimal.Decimal(value) for value in values]
    return values


def date(number):
    """Returns a moment, or None for one that Python's dates can't express."""
    try:
        return EPOCH + datetime.timedelta(microseconds=number)
    except OverflowError:
        return None


def day(number):
    """Returns a day, or None for one that Python's dates can't express."""
    try:
        return EPOCH.date() + datetime.timedelta(days=number)
    except OverflowError:
        return None


def bits(start, count):
    values = []
    for byte in bytes(ffi.buffer(start, (count + 7) // 8)):
        values.extend((byte >> bit) & 1 == 1 for bit in range(8))
    return values[:count]


# --- Capsules -----------------------------------------------------------------------------------

_CAPSULE_NAME = b"arrow_array_stream"
_kept = {}
_python = ctypes.pythonapi
_python.PyCapsule_New.restype = ctypes.py_object
_python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_python.PyCapsule_GetPointer.restype = ctypes.c_void_p
_python.PyCapsule_GetPointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _end_capsule(capsule):
    # The stream releases itself unless the receiver has moved it elsewhere.
    _kept.pop(_python.PyCapsule_GetPointer(capsule, _CAPSULE_NAME), None)


def capsule(stream):
    """Returns a capsule with a stream, as Arrow's protocol for Python demands."""
    address = int(ffi.cast("uintptr_t", stream.pointer))
    _kept[address] = stream
    return _python.PyCapsule_New(address, _CAPSULE_NAME, ctypes.cast(_end_capsule, ctypes.c_void_p))


def rows_of(data):
    """Returns a stream of somebody's rows: of a data frame, a table of Arrow, or a list of dictionaries."""
    if not hasattr(data, "__arrow_c_stream__"):
        import pyarrow

        if type(data).__module__.split(".")[0] == "pandas":
            data = pyarrow.Table.from_pandas(data, preserve_index=False)
        else:
            data = pyarrow.Table.from_pylist(list(data))
    held = data.__arrow_c_stream__()
    address = _python.PyCapsule_GetPointer(id(held), _CAPSULE_NAME)
    return held, ffi.cast("struct ArrowArrayStream *", address)
