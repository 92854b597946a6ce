"""Writes blocks of rows (3.3, 3.4). Every choice that the clauses leave to a writer is a parameter.

Values are as `block.Column.value` gives them: None, a Boolean, an integer, the bits of a real, bytes, magnitude and exponent of a decimal.
"""

import struct
import zlib

from block import BASIS, GIVEN, HIGHEST_KEY, KEY, NOTHING, OUTSIDE, PRESENCE, SLOPED, VERSION, table_count
from findings import align, crc32c
from schema import BOOLEAN, DECIMAL, FLOAT, INT64, INTEGERS, REALS, UUID

MODULUS = 1 << 64


class Plan:
    """The choices for one column. An encoding of None is the first one of 3.4 that is legal for every value of the kind.

    `step` makes a column of integers sloped, and `offset_step` the offsets. `keeps_presence` writes a bitmap although every row has a value.
    """

    def __init__(self, encoding=None, width=None, base=None, step=None, scale=0, offset_width=None, offset_base=0, offset_step=0,
                 keeps_presence=False, extra_zeros=False):
        self.encoding, self.width, self.base, self.step, self.scale = encoding, width, base, step, scale
        self.offset_width, self.offset_base, self.offset_step = offset_width, offset_base, offset_step
        self.keeps_presence, self.extra_zeros = keeps_presence, extra_zeros


class Body:
    """The parts of a column's body (3.3.5). The places of numbers are kept for 4.5.8."""

    def __init__(self):
        self.data, self.numbers = b"", []

    def add(self, part, width=1):
        if part:
            self.data = self.data.ljust(align(len(self.data)), b"\0")
            self.numbers.append((len(self.data), len(part), width))
            self.data += part


def bitmap(bits):
    packed = bytearray((len(bits) + 7) // 8)
    for row, one in enumerate(bits):
        packed[row >> 3] |= bool(one) << (row & 7)
    return bytes(packed)


def least_width(numbers):
    return next(width for width in (0, 1, 2, 4, 8) if max(numbers) < 1 << 8 * width)


def unsigned(numbers, width):
    return b"".join(number.to_bytes(width, "little") for number in numbers) if width else b""


def as_signed(number):
    return number - MODULUS if number >> 63 else number


def integers(values, plan, width):
    """3.4.1: base, step, width and the numbers of the data."""
    step = plan.step or 0
    rest = [(value - step * row) % MODULUS for row, value in enumerate(values)]
    # The numbers of a level column begin with the lowest value, so that base and every sum fit the kind.
    base = plan.base if plan.base is not None else min(map(as_signed, rest))
    numbers = [(one - base) % MODULUS for one in rest]
    width = least_width(numbers) if width is None else width
    assert width >= least_width(numbers), f"{max(numbers)} needs more than {width} bytes"
    return base, step, width, numbers


def scaled(value, kind, scale):
    """3.4.3: the integer of a real or a decimal."""
    if kind == DECIMAL:
        magnitude, exponent = value
        return magnitude * 10 ** (exponent + scale)
    form = ("<I", "<f") if kind == FLOAT else ("<Q", "<d")
    number, = struct.unpack(form[1], struct.pack(form[0], value))
    integer = round(number * 10 ** scale)
    assert struct.pack(form[1], float(integer) / 10 ** scale) == struct.pack(form[0], value), f"{number} has more than {scale} places"
    return integer


def decimal_bytes(value):
    """3.4.6"""
    if value == "NaN":
        return b""
    magnitude, exponent = value
    if magnitude == 0:
        return b"\0\0"
    return struct.pack("<bB", exponent, magnitude < 0) + abs(magnitude).to_bytes(16, "little").rstrip(b"\0")


class Column:
    """A column's entry in the directory and its body. `given` is None outside of changes, and `outside` the rows with references (3.4.9)."""

    def __init__(self, number, kind, values, plan=None, given=None, outside=()):
        self.number, self.kind, self.rows = number, kind, len(values)
        self.body, self.parameters = Body(), []
        self.encoding = self.width = self.offset_width = self.flags = self.scale = self.dictionary_count = 0
        plan = plan or Plan()
        if given is not None and not all(given):
            self.flags |= GIVEN
            self.body.add(bitmap(given))
        if all(value is None for value in values) and not plan.keeps_presence:
            self.flags |= NOTHING
            self.encoding = 1
            return
        if plan.keeps_presence or any(value is None for value in values):
            self.flags |= PRESENCE
            self.body.add(bitmap([value is not None for value in values]))
        if outside:
            self.flags |= OUTSIDE
            self.body.add(bitmap([row in outside for row in range(self.rows)]))
        self.encode(values, plan)
        if plan.extra_zeros:
            self.body.data = self.body.data.ljust(align(len(self.body.data)), b"\0")

    def encode(self, values, plan):
        kind, present = self.kind, [value for value in values if value is not None]
        usual = 1 if kind in INTEGERS and kind != BOOLEAN else 4 if kind == BOOLEAN else 3 if kind in REALS else 7 if kind == UUID else 5
        self.encoding, self.scale = plan.encoding or usual, plan.scale
        if self.encoding in (1, 2):
            # The place of a row without a value has legal data without a meaning (3.3.6).
            filler = next(iter(present), 0 if kind in INTEGERS else (0, 0) if kind == DECIMAL else 0)
            numbers = [filler if value is None else value for value in values]
            if self.encoding == 2:
                numbers = [scaled(value, kind, plan.scale) for value in numbers]
            base, step, self.width, data = integers([int(one) for one in numbers], plan, plan.width)
            self.flags |= SLOPED if plan.step is not None else 0
            self.parameters = [base] + ([step] if plan.step is not None else [])
            self.body.add(unsigned(data, self.width), self.width)
        elif self.encoding == 3:
            self.width = 4 if kind == FLOAT else 8
            self.body.add(unsigned([value or 0 for value in values], self.width), self.width)
        elif self.encoding == 4:
            self.body.add(bitmap(values))
        elif self.encoding == 7:
            self.width = 16
            self.body.add(b"".join(value or bytes(16) for value in values))
        else:
            texts = [b"" if value is None else decimal_bytes(value) if kind == DECIMAL else value for value in values]
            self.encode_bytes(texts, plan)

    def encode_bytes(self, texts, plan):
        if self.encoding == 6:
            entries = sorted(set(texts))
            codes = [entries.index(text) for text in texts]
            self.width = least_width(codes) if plan.width is None else plan.width
            self.dictionary_count = len(entries)
            self.body.add(unsigned(codes, self.width), self.width)
            texts = entries
        places = [0]
        for text in texts:
            places.append(places[-1] + len(text))
        offsets = Plan(base=plan.offset_base, step=plan.offset_step)
        base, step, self.offset_width, numbers = integers(places, offsets, plan.offset_width)
        self.parameters = [base, step]
        self.body.add(unsigned(numbers, self.offset_width), self.offset_width)
        self.body.add(b"".join(texts))


def block(entity, keys, columns, flags=0, version=None, basis=None, key_plan=None):
    """The bytes of a block, and the same bytes transposed (4.5.8). `version` and `basis` are numbers for each row, or None."""
    columns = sorted(columns, key=lambda column: column.number)
    assert keys == sorted(set(keys)) and keys[0] >= 0 and keys[-1] <= HIGHEST_KEY
    for number, values in ((BASIS, basis), (VERSION, version)):
        columns += [Column(number, INT64, values)] if values is not None else []
    columns.append(Column(KEY, INT64, keys, key_plan))
    header_count = 48 + sum(24 + 8 * len(column.parameters) for column in columns)
    directory, chunks, turned = b"", b"", b""
    for column in columns:
        body, place = column.body.data, header_count + len(chunks)
        table = b""
        if len(body) > 4096:
            table = b"".join(struct.pack("<I", crc32c(body[start:start + 4096])) for start in range(0, len(body), 4096))
            table = table.ljust(table_count(len(body)), b"\0")
        directory += struct.pack(
            "<HBBBBBBIIII", column.number, column.kind, column.encoding, column.width, column.offset_width, column.flags, column.scale,
            place if body else 0, len(body), crc32c(table or body) if body else 0, column.dictionary_count)
        directory += b"".join(struct.pack("<q", one) for one in column.parameters)
        chunks += table + body
        turned += table + transposed(column.body)
        chunks, turned = (one.ljust(align(len(one)), b"\0") for one in (chunks, turned))
    header = struct.pack(
        "<4sIIIHHIQQII", b"QBLK", header_count, header_count + len(chunks), 0, entity, len(columns), len(keys), keys[0], keys[-1], flags, 0)
    header += directory
    header = header[:12] + struct.pack("<I", crc32c(header)) + header[16:]
    return header + chunks, header + turned


def transposed(body):
    """4.5.8"""
    data = bytearray(body.data)
    for start, count, width in body.numbers:
        part = body.data[start:start + count]
        data[start:start + count] = b"".join(part[byte::width] for byte in range(width))
    return bytes(data)


def stored_zlib(data):
    """zlib's format (RFC 1950) with stored parts only: larger than the data, and legal."""
    encoder = zlib.compressobj(0)
    return encoder.compress(data) + encoder.flush()
