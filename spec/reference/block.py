"""Blocks of rows (3.3, 3.4).

A block is read and judged at once: each finding goes to a report. The columns that break no rule can be read.
"""

import struct
from array import array

from findings import align, bit, crc32c, signed
from schema import BOOLEAN, BYTES, DECIMAL, FLOAT, INT16, INT32, INT64, INTEGERS, REALS, REFERENCE, TEXT, URI, UUID

KEY, VERSION, BASIS, OBJECT = 0xFFFF, 0xFFFE, 0xFFFD, 0xFFFC
HEAPS = {DECIMAL, TEXT, URI, BYTES}
PRESENCE, NOTHING, SLOPED, GIVEN, OUTSIDE = 1, 2, 4, 8, 16
HIGHEST_KEY = (1 << 48) - 1
LARGEST = 1 << 30
# The bytes of a block file's header without its features (4.2.1): no section lies before this offset.
FILE_HEADER = 80


def most_bytes(count):
    """3.4.9, 4.5.2: the most bytes that so many compressed ones expand to."""
    return 1032 * count + 64


class Parts:
    """The parts of a body (3.3.5)."""

    def __init__(self, body):
        self.body, self.place, self.is_short, self.has_padding = body, 0, False, False

    def take(self, count):
        if not count or self.is_short:
            return b""
        start = align(self.place)
        if start + count > len(self.body):
            self.is_short = True
            return b""
        self.skip(start)
        self.place = start + count
        return self.body[start:start + count]

    def rest(self):
        start = min(align(self.place), len(self.body))
        self.skip(start)
        self.place = len(self.body)
        return self.body[start:]

    def skip(self, start):
        self.has_padding = self.has_padding or any(self.body[self.place:start])
        self.place = start

    def finish(self):
        """Whether the body ends where its parts do, or with zeros up to a multiple of 8."""
        if not self.is_short and align(self.place) == len(self.body):
            self.skip(len(self.body))
        return not self.is_short and self.place == len(self.body)


def unsigned_numbers(data, width, count):
    if width == 0:
        return [0] * count
    numbers = array({1: "B", 2: "H", 4: "I", 8: "Q"}[width])
    numbers.frombytes(data)
    return numbers


class Column:
    """A column's entry in the directory (3.3.4) and its values."""

    def __init__(self, entry, parameters):
        (self.number, self.kind, self.encoding, self.width, self.offset_width, self.flags, self.scale, self.chunk_offset,
         self.body_count, self.checksum, self.dictionary_count) = entry
        self.base, self.step, self.offset_base, self.offset_step = parameters
        self.given = self.presence = self.outside = None
        self.numbers, self.heap, self.offsets = None, b"", None
        self.is_sound = True

    def is_given(self, row):
        return self.given is None or bool(bit(self.given, row))

    def has_value(self, row):
        return not self.flags & NOTHING and (self.presence is None or bool(bit(self.presence, row)))

    def is_outside(self, row):
        return self.outside is not None and bool(bit(self.outside, row))

    def bytes_at(self, row):
        index = self.numbers[row] if self.encoding == 6 else row
        return bytes(self.heap[self.offsets[index]:self.offsets[index + 1]])

    def value(self, row):
        """The value: None, a Boolean, an integer, the bits of a real, bytes, or magnitude and exponent of a decimal."""
        if not self.has_value(row):
            return None
        kind = self.kind
        if kind == BOOLEAN:
            return bool(bit(self.numbers, row) if self.encoding == 4 else self.numbers[row])
        if kind == REFERENCE:
            key = self.numbers[row] & 0xFFFFFFFFFFFFFFFF
            return key or None
        if kind in INTEGERS:
            return self.numbers[row]
        if kind in REALS:
            form = "f" if kind == FLOAT else "d"
            if self.encoding == 3:
                return int.from_bytes(self.numbers[row * self.width:(row + 1) * self.width], "little")
            number = float(self.numbers[row]) / 10 ** self.scale
            return int.from_bytes(struct.pack("<" + form, number), "little")
        if kind == UUID:
            return bytes(self.numbers[row * 16:row * 16 + 16])
        if self.encoding == 2:
            return canonical(self.numbers[row], -self.scale)
        data = self.bytes_at(row)
        return decimal_of_bytes(data) if kind == DECIMAL else data


def canonical(magnitude, exponent):
    while magnitude and magnitude % 10 == 0:
        magnitude //= 10
        exponent += 1
    return magnitude, exponent if magnitude else 0


def decimal_of_bytes(data):
    """3.4.6"""
    if not data:
        return "NaN"
    exponent = data[0] - 256 if data[0] > 127 else data[0]
    magnitude = int.from_bytes(data[2:], "little")
    return canonical(-magnitude if data[1] else magnitude, exponent)


def is_canonical_decimal(data):
    """3.4.6"""
    if not data:
        return True
    if not 2 <= len(data) <= 18 or data[1] > 1:
        return False
    if len(data) == 2:
        return data[0] == data[1] == 0
    magnitude = int.from_bytes(data[2:], "little")
    return data[-1] != 0 and (magnitude % 10 != 0 or data[0] == 127)


class Reference:
    """A reference to a value outside (3.4.9)."""

    def __init__(self, data):
        self.offset, self.byte_count, self.stored_count, self.checksum, self.codec = struct.unpack_from("<QQQIB", data)
        self.reserved = data[29:32]

    @property
    def key(self):
        return self.offset, self.byte_count, self.stored_count, self.checksum, self.codec


class Block:
    def __init__(self, data, report):
        self.data, self.report = data, report
        self.columns, self.references, self.rows = {}, [], 0

    def add(self, rule, message):
        self.report.add(rule, f"block of entity {getattr(self, 'entity', '?')}: {message}")

    # --- 3.3.1

    def read_header(self):
        data = self.data
        if len(data) < 48:
            return self.add("BLCK-062", "it has fewer bytes than a header")
        magic, header_count, block_count, checksum = struct.unpack_from("<IIII", data)
        if magic != 0x4B4C4251:
            return self.add("BLCK-060", "it does not begin as one")
        if not 48 <= header_count <= len(data):
            return self.add("BLCK-062", "its header does not fit")
        if crc32c(data[:12] + bytes(4) + data[16:header_count]) != checksum:
            return self.add("BLCK-061", "its header's checksum")
        (self.entity, self.column_count, self.rows, self.minimum, self.maximum, self.flags, reserved) = struct.unpack_from(
            "<HHIQQII", data, 16)
        self.header_count, self.block_count = header_count, block_count
        if reserved:
            self.add("BLCK-004", "reserved bytes of its header")
        if not 1 <= self.rows <= 65536 or not 1 <= self.column_count <= 61443:
            return self.add("BLCK-062", "its counts")
        if not (self.minimum <= self.maximum <= HIGHEST_KEY and self.maximum - self.minimum >= self.rows - 1):
            return self.add("BLCK-063", "its keys have no room for its rows")
        if self.flags not in (0, 1, 2):
            return self.add("BLCK-064", "its flags")
        return True

    # --- 3.3.4

    def read_directory(self):
        """Returns the columns whose entries are sound."""
        sound, place, last = [], 48, None
        for _ in range(self.column_count):
            if place + 24 > self.header_count:
                self.add("BLCK-066", "its columns do not fit the directory")
                return sound
            entry = struct.unpack_from("<HBBBBBBIIII", self.data, place)
            number, kind, encoding, flags = entry[0], entry[1], entry[2], entry[5]
            if not 1 <= kind <= 13:
                self.add("BLCK-071", f"column {number} is of kind {kind}")
                return sound
            if not 1 <= encoding <= 7:
                self.add("BLCK-072", f"column {number} has encoding {encoding}")
                return sound
            wanted = []
            if not flags & NOTHING:
                wanted = {1: [0], 2: [0], 5: [2, 3], 6: [2, 3]}.get(encoding, [])
                wanted = wanted + [1] if wanted == [0] and flags & SLOPED else wanted
            if place + 24 + 8 * len(wanted) > self.header_count:
                self.add("BLCK-066", f"the directory ends within column {number}")
                return sound
            place += 24
            parameters = [0, 0, 0, 0]
            for index in wanted:
                parameters[index], = struct.unpack_from("<q", self.data, place)
                place += 8
            if last is not None and last >= number:
                self.add("BLCK-067", f"column {number} comes behind {last}")
            last = max(number, last or 0)
            column = Column(entry, parameters)
            before = self.report.error_count
            self.judge_entry(column)
            if self.report.error_count == before:
                sound.append(column)
        if place != self.header_count:
            self.add("BLCK-066", "its directory ends elsewhere")
        elif last != KEY:
            self.add("BLCK-069", "it has no keys")
        return sound

    def judge_entry(self, column):
        flags, kind, encoding = column.flags, column.kind, column.encoding
        if (flags & ~31 or flags & GIVEN and self.flags != 1
                or flags & OUTSIDE and (kind != BYTES or encoding != 5)):
            self.add("BLCK-073", f"column {column.number} has the flags {flags}")
        if flags & NOTHING:
            if (flags & (PRESENCE | SLOPED | OUTSIDE) or encoding != 1 or column.width or column.offset_width
                    or column.scale or column.dictionary_count):
                self.add("BLCK-074", f"column {column.number} has no values and an encoding")
        else:
            self.judge_encoding(column)
        if column.number >= OBJECT:
            if kind != INT64 or flags & (PRESENCE | NOTHING | GIVEN):
                self.add("BLCK-070", f"column {column.number} is not an integer in every row")
        elif not 1 <= column.number <= 61439:
            self.add("BLCK-068", f"column {column.number}")
        start, count = column.chunk_offset, column.body_count
        fits = start == 0 if count == 0 else (
            start >= self.header_count and start % 8 == 0 and start + table_count(count) + count <= len(self.data))
        if not fits:
            self.add("BLCK-076", f"column {column.number} lies elsewhere")

    def judge_encoding(self, column):
        """3.4"""
        kind, encoding, width = column.kind, column.encoding, column.width
        is_integer, is_sloped = width in (0, 1, 2, 4, 8), bool(column.flags & SLOPED)
        is_legal = {
            1: kind in INTEGERS and is_integer and (
                kind != BOOLEAN or width == 0 and not is_sloped and column.base in (0, 1)),
            2: is_integer and (kind == DECIMAL and column.scale <= 18 or kind in REALS and column.scale <= 4),
            3: kind in REALS and width == (4 if kind == FLOAT else 8),
            4: kind == BOOLEAN and width == 0,
            5: kind in HEAPS and width == 0,
            6: kind in HEAPS and width in (0, 1, 2, 4) and 1 <= column.dictionary_count <= self.rows,
            7: kind == UUID and width == 16,
        }[encoding]
        if not is_legal or encoding in (5, 6) and column.offset_width not in (0, 1, 2, 4, 8):
            self.add("BLCK-072", f"column {column.number}: encoding {encoding}")
        if (encoding != 2 and column.scale or encoding != 6 and column.dictionary_count
                or encoding not in (5, 6) and column.offset_width or encoding not in (1, 2) and is_sloped):
            self.add("BLCK-075", f"column {column.number} has fields without a meaning")

    # --- 3.3.5, 3.3.6, 3.4

    def read_columns(self, columns, versions, offset):
        for column in columns:
            before = self.report.error_count
            self.read_column(column, versions, offset)
            column.is_sound = self.report.error_count == before
            self.columns[column.number] = column

    def read_body(self, column):
        count = column.body_count
        if count == 0:
            return b""
        start, tables = column.chunk_offset, table_count(count)
        body = self.data[start + tables:start + tables + count]
        first = self.data[start:start + tables] if tables else body
        is_whole = crc32c(first) == column.checksum
        if tables and is_whole:
            pages = (count + 4095) // 4096
            is_whole = all(
                crc32c(body[page * 4096:(page + 1) * 4096]) == int.from_bytes(first[page * 4:page * 4 + 4], "little")
                for page in range(pages))
            if is_whole and any(first[pages * 4:]):
                self.add("BLCK-080", f"column {column.number}: bytes behind its checksums")
        if not is_whole:
            self.add("BLCK-078", f"the checksum of column {column.number}")
            return None
        return body

    def read_column(self, column, versions, offset):
        body = self.read_body(column)
        if body is None:
            return
        parts, bitmap, rows = Parts(body), (self.rows + 7) // 8, self.rows
        if column.flags & GIVEN:
            column.given = parts.take(bitmap)
        if not column.flags & NOTHING:
            column.presence = parts.take(bitmap) if column.flags & PRESENCE else None
            column.outside = parts.take(bitmap) if column.flags & OUTSIDE else None
            if column.encoding in (1, 2):
                data = parts.take(rows * column.width)
                if not parts.is_short:
                    self.read_integers(column, data, versions)
            elif column.encoding in (3, 7):
                column.numbers = parts.take(rows * column.width)
            elif column.encoding == 4:
                column.numbers = parts.take(bitmap)
            elif column.encoding == 6:
                data = parts.take(rows * column.width)
                if not parts.is_short:
                    column.numbers = unsigned_numbers(data, column.width, rows)
                    if max(column.numbers) >= column.dictionary_count:
                        self.add("BLCK-087", f"column {column.number} has a code without an entry")
                self.read_heap(column, parts, column.dictionary_count)
            elif self.read_heap(column, parts, rows) and column.outside is not None:
                self.read_references(column, offset)
        if not parts.finish():
            self.add("BLCK-079", f"the body of column {column.number} is longer or shorter than its parts")
        elif parts.has_padding:
            self.add("BLCK-080", f"bytes between the parts of column {column.number}")

    def read_integers(self, column, data, versions):
        """3.4.1, 3.4.2"""
        numbers = unsigned_numbers(data, column.width, self.rows)
        base, step = column.base, column.step
        column.numbers = [signed(base + step * row + number) for row, number in enumerate(numbers)]
        if column.number == KEY:
            keys = column.numbers
            if keys[0] != self.minimum or keys[-1] != self.maximum or any(
                    one & 0xFFFFFFFFFFFFFFFF >= other & 0xFFFFFFFFFFFFFFFF for one, other in zip(keys, keys[1:])):
                self.add("BLCK-082", "its keys do not ascend from the lowest to the highest")
        elif column.number == VERSION:
            if not all(1 <= number <= versions for number in column.numbers):
                self.add("BLCK-055", "a row's version")
        elif column.number == OBJECT:
            if not all(1 <= number <= HIGHEST_KEY for number in column.numbers):
                self.add("INDX-002", "an entry is of no object")
        elif column.kind in (INT16, INT32):
            limit = 1 << (15 if column.kind == INT16 else 31)
            fits = all(-limit <= number < limit for number in column.numbers)
            if not step:
                fits = -limit <= base < limit and all(number - base & 0xFFFFFFFFFFFFFFFF < limit - base for number in column.numbers)
            if not fits:
                self.add("BLCK-081", f"a number of column {column.number}")

    def read_heap(self, column, parts, count):
        """3.4.5 to 3.4.7"""
        data = parts.take((count + 1) * column.offset_width)
        if parts.is_short:
            return False
        base, step = column.offset_base, column.offset_step
        numbers = unsigned_numbers(data, column.offset_width, count + 1)
        offsets = [signed(base + step * index + number) for index, number in enumerate(numbers)]
        heap = parts.rest()
        if offsets[0] != 0 or offsets[-1] != len(heap) or any(one > other for one, other in zip(offsets, offsets[1:])):
            self.add("BLCK-083", f"the offsets of column {column.number}")
            return False
        column.offsets, column.heap = offsets, heap
        values = [heap[offsets[index]:offsets[index + 1]] for index in range(count)]
        if column.encoding == 6 and any(one >= other for one, other in zip(values, values[1:])):
            self.add("BLCK-086", f"the entries of column {column.number}")
        if column.kind in (TEXT, URI) and not all(map(is_utf8, values)):
            self.add("BLCK-084", f"a text of column {column.number}")
        if column.kind == DECIMAL and not all(map(is_canonical_decimal, values)):
            self.add("BLCK-085", f"a decimal of column {column.number}")
        return True

    def read_references(self, column, limit):
        """3.4.9, 4.5.7"""
        before, references = self.report.error_count, []
        for row in range(self.rows):
            if not bit(column.outside, row):
                continue
            if not column.has_value(row) or not column.is_given(row):
                self.add("BLCK-089", f"row {row} of column {column.number} has no value, and it is outside")
                continue
            data = column.bytes_at(row)
            if len(data) != 32:
                self.add("BLCK-088", f"a reference has {len(data)} bytes")
                continue
            reference = Reference(data)
            size, stored = reference.byte_count, reference.stored_count
            if reference.codec > 1 or size > LARGEST or stored > LARGEST or (
                    size > most_bytes(stored) if reference.codec else size != stored):
                self.add("BLCK-088", "a reference that can't be")
                continue
            if any(reference.reserved):
                self.add("BLCK-004", "reserved bytes of a reference")
            if reference.offset % 8 or not FILE_HEADER <= reference.offset <= limit or stored > limit - reference.offset:
                self.add("BLCK-090", "a value lies elsewhere")
                continue
            references.append(reference)
        if len(references) > 1 and sum(reference.byte_count for reference in references) > 1 << 26:
            self.add("BLCK-093", f"the values outside of column {column.number}")
        if self.report.error_count == before:
            self.references += references


def table_count(body_count):
    return align((body_count + 4095) // 4096 * 4) if body_count > 4096 else 0


def is_utf8(data):
    try:
        bytes(data).decode("utf-8")
        return True
    except UnicodeDecodeError:
        return False


def untransposed(data):
    """4.5.8: the block, or None where its parts do not hold all numbers."""
    quiet = Quiet()
    block = Block(data, quiet)
    if not block.read_header() or block.block_count != len(data):
        return None
    columns = block.read_directory()
    if quiet.error_count:
        return None
    rows, result = block.rows, bytearray(data)
    for column in columns:
        if column.flags & NOTHING or not column.body_count:
            continue
        body = column.chunk_offset + table_count(column.body_count)
        place = align((rows + 7) // 8) * sum(1 for flag in (GIVEN, PRESENCE, OUTSIDE) if column.flags & flag)
        parts = [(place, rows, column.width)] if column.encoding in (1, 2, 3, 6) else []
        if column.encoding == 6:
            place = align(place + rows * column.width)
        if column.encoding in (5, 6):
            count = column.dictionary_count if column.encoding == 6 else rows
            parts.append((place, count + 1, column.offset_width))
        for start, count, width in parts:
            if width < 2:
                continue
            if start + count * width > column.body_count:
                return None
            start += body
            for byte in range(width):
                result[start + byte:start + count * width:width] = data[start + byte * count:start + (byte + 1) * count]
    return bytes(result)


class Quiet:
    """A report that only counts. Readers ignore reserved bytes."""

    def __init__(self):
        self.error_count = 0

    def add(self, rule, message):
        self.error_count += rule != "BLCK-004"
