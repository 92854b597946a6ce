#!/usr/bin/env python3
"""Reads a block file as chapters 3 and 4 of this specification say, and prints what it holds.

    blockfile.py FILE

A line for each object, by entity and key: the entity's name, the key, and name=value for each value it has.
Written from the specification alone; the standard library is all it needs. It checks what it needs to read and is no
validator.
"""

import plistlib
import struct
import sys
import xml.etree.ElementTree
import zlib
from decimal import Decimal

BOOLEAN, INT16, INT32, INT64, FLOAT, DOUBLE, DATE, DECIMAL, TEXT, URI, BYTES, UUID, REFERENCE = range(1, 14)
MASK = (1 << 64) - 1


class Damage(Exception):
    pass


def need(condition, words):
    if not condition:
        raise Damage(words)


# 3.7: the CRC-32C.
TABLE = []
for index in range(256):
    for _ in range(8):
        index = index >> 1 ^ 0x82F63B78 if index & 1 else index >> 1
    TABLE.append(index)


def crc32c(data):
    value = 0xFFFFFFFF
    for byte in data:
        value = TABLE[(value ^ byte) & 0xFF] ^ value >> 8
    return value ^ 0xFFFFFFFF


def align(count):
    return count + 7 & ~7


def signed(value):
    value &= MASK
    return value - (1 << 64) if value >> 63 else value


def bit(bitmap, row):
    return bitmap[row >> 3] >> (row & 7) & 1


class Column:
    """3.3.4, 3.3.5 and 3.4."""

    def __init__(self, block, entry, parameters, rows, outside):
        (self.number, self.kind, self.encoding, self.width, self.offset_width, self.flags, self.scale, chunk_offset,
         body_count, checksum, self.dictionary_count) = entry
        self.rows, self.outside = rows, outside
        self.base, self.step, self.offset_base, self.offset_step = parameters
        table_count = 0
        if body_count > 4096:
            table_count = align((body_count + 4095) // 4096 * 4)
        chunk = block[chunk_offset:chunk_offset + table_count + body_count]
        need(len(chunk) == table_count + body_count, "a chunk ends early")
        body = chunk[table_count:]
        if table_count:
            need(crc32c(chunk[:table_count]) == checksum, "a table's checksum")
            for page in range((body_count + 4095) // 4096):
                stored, = struct.unpack_from("<I", chunk, page * 4)
                need(crc32c(body[page * 4096:(page + 1) * 4096]) == stored, "a page's checksum")
        elif body_count:
            need(crc32c(body) == checksum, f"the checksum of column {self.number}")
        self.body, self.place = body, 0
        bitmap = (rows + 7) // 8
        self.given = self.take(bitmap) if self.flags & 8 else None
        self.nothing = bool(self.flags & 2)
        if self.nothing:
            return
        self.presence = self.take(bitmap) if self.flags & 1 else None
        need(not self.flags & 16 or (self.kind == BYTES and self.encoding == 5), "values outside of another column")
        self.is_outside = self.take(bitmap) if self.flags & 16 else None
        if self.encoding in (1, 2, 3, 7):
            self.data = self.take(rows * self.width)
        elif self.encoding == 4:
            self.data = self.take(bitmap)
        elif self.encoding == 5:
            self.take_heap(rows)
        elif self.encoding == 6:
            self.data = self.take(rows * self.width)
            self.take_heap(self.dictionary_count)
        else:
            raise Damage(f"encoding {self.encoding}")

    def take(self, count):
        self.place = align(self.place)
        part = self.body[self.place:self.place + count]
        need(len(part) == count, "a part ends early")
        self.place += count
        return part

    def take_heap(self, count):
        self.offsets = self.take((count + 1) * self.offset_width)
        self.heap = self.body[align(self.place):]

    def unsigned(self, data, width, row):
        return int.from_bytes(data[row * width:(row + 1) * width], "little")

    def integer(self, row):
        return signed(self.base + self.step * row + self.unsigned(self.data, self.width, row))

    def heap_bytes(self, index):
        start, end = (
            signed(self.offset_base + self.offset_step * i + self.unsigned(self.offsets, self.offset_width, i))
            for i in (index, index + 1))
        need(0 <= start <= end <= len(self.heap), "an offset")
        return self.heap[start:end]

    def is_given(self, row):
        return self.given is None or bool(bit(self.given, row))

    def value(self, row):
        """The value as text; None where there is none."""
        if self.nothing or (self.presence is not None and not bit(self.presence, row)):
            return None
        kind = self.kind
        if kind == BOOLEAN:
            on = bit(self.data, row) if self.encoding == 4 else self.integer(row)
            return "true" if on else "false"
        if kind in (INT16, INT32, INT64):
            return str(self.integer(row))
        if kind == REFERENCE:
            key = self.integer(row) & MASK
            return f"{key >> 48}/{key & (1 << 48) - 1}" if key else None
        if kind in (FLOAT, DOUBLE, DATE):
            if self.encoding == 2:
                number = float(self.integer(row)) / 10 ** self.scale
                return struct.pack(">f" if kind == FLOAT else ">d", number).hex()
            return self.data[row * self.width:(row + 1) * self.width][::-1].hex()
        if kind == UUID:
            return self.data[row * 16:row * 16 + 16].hex()
        if self.encoding == 2:
            return decimal(self.integer(row), -self.scale)
        data = self.heap_bytes(self.unsigned(self.data, self.width, row) if self.encoding == 6 else row)
        if self.is_outside is not None and bit(self.is_outside, row):
            data = self.outside(data)
        if kind != DECIMAL:
            return data.hex()
        if not data:
            return "nan"
        exponent = data[0] - 256 if data[0] > 127 else data[0]
        magnitude = int.from_bytes(data[2:], "little")
        return decimal(-magnitude if data[1] else magnitude, exponent)


def decimal(magnitude, exponent):
    while magnitude and magnitude % 10 == 0:
        magnitude //= 10
        exponent += 1
    return f"{magnitude}e{exponent if magnitude else 0}"


def directory(data):
    """3.3.4: for each column its entry and parameters, and where the directory ends."""
    columns, place = [], 48
    for _ in range(struct.unpack_from("<H", data, 18)[0]):
        entry = struct.unpack_from("<HBBBBBBIIII", data, place)
        place += 24
        parameters = [0, 0, 0, 0]
        encoding, flags = entry[2], entry[5]
        if not flags & 2:
            wanted = [0] if encoding in (1, 2) else []
            wanted += [1] if encoding in (1, 2) and flags & 4 else []
            wanted += [2, 3] if encoding in (5, 6) else []
            for index in wanted:
                parameters[index], = struct.unpack_from("<q", data, place)
                place += 8
        columns.append((entry, parameters))
    return columns, place


def untransposed(data):
    """4.5.8."""
    rows, = struct.unpack_from("<I", data, 20)
    result = bytearray(data)
    for entry, _ in directory(data)[0]:
        _, _, encoding, width, offset_width, flags, _, chunk, body_count, _, dictionary_count = entry
        if flags & 2 or not body_count:
            continue
        place = chunk + (align((body_count + 4095) // 4096 * 4) if body_count > 4096 else 0)
        place += align((rows + 7) // 8) * sum(1 for flag in (8, 1, 16) if flags & flag)
        parts = []
        if encoding in (1, 2, 3, 6):
            parts.append((place, rows, width))
        if encoding == 6:
            place = align(place + rows * width)
        if encoding in (5, 6):
            parts.append((place, (dictionary_count if encoding == 6 else rows) + 1, offset_width))
        for start, count, size in parts:
            if size > 1:
                for byte in range(size):
                    plane = data[start + byte * count:start + (byte + 1) * count]
                    result[start + byte:start + count * size:size] = plane
    return bytes(result)


class Block:
    """3.3. The values outside of it come from `outside`, which is given a reference."""

    def __init__(self, data, outside):
        magic, header_count, block_count, checksum = struct.unpack_from("<IIII", data)
        need(magic == 0x4B4C4251 and block_count <= len(data), "no block")
        header = data[:header_count]
        need(crc32c(header[:12] + bytes(4) + header[16:]) == checksum, "a block's checksum")
        self.entity, _, self.rows, self.minimum, self.maximum, self.flags = struct.unpack_from("<HHIQQI", data, 16)
        columns, place = directory(data)
        self.columns = {
            entry[0]: Column(data, entry, parameters, self.rows, outside) for entry, parameters in columns}
        need(place == header_count, "a directory's end")
        keys = self.columns[0xFFFF]
        self.keys = [keys.integer(row) for row in range(self.rows)]
        need(self.keys == sorted(set(self.keys)) and self.keys[0] == self.minimum and self.keys[-1] == self.maximum,
             "keys out of order")


class File:
    """Chapter 4."""

    def __init__(self, data):
        self.data = data
        need(data[:8] == b"QRBLOCKS", "no block file")
        major, = struct.unpack_from("<H", data, 8)
        need(major == 1, f"format version {major}")
        need(crc32c(data[:40] + bytes(20)) == struct.unpack_from("<I", data, 60)[0], "the header's checksum")
        self.salt, = struct.unpack_from("<Q", data, 32)
        place = len(data) - 48 & ~7
        while place >= 64 and not self.read_commit(place):
            place -= 8
        need(place >= 64, "no whole commit")
        self.check_acknowledged(place)

    def check_acknowledged(self, newest):
        """4.2.4 and 4.3.3: no commit that was acknowledged lies behind the newest whole one."""
        named, damaged = [], False
        for start in (40, 50):
            slot = self.data[start:start + 10]
            if not any(slot):
                continue
            if crc32c(self.data[32:40] + slot[:6]) == struct.unpack_from("<I", slot, 6)[0]:
                named.append(int.from_bytes(slot[:6], "little"))
            else:
                damaged = True
        need(not named or max(named) <= newest, "the last save")
        if named and not damaged:
            return
        for place in range(align(newest + 48), len(self.data) - 47, 8):
            trailer = self.data[place:place + 24]
            signs = (trailer[:4] == b"QEND", trailer[8:16] == self.data[32:40],
                     trailer[16:24] == struct.pack("<Q", place))
            need(sum(signs) < 2, "a save behind the last whole one")

    def read_commit(self, place):
        trailer = self.data[place:place + 48]
        if trailer[:4] != b"QEND":
            return False
        flags, salt, offset, record_offset, record_count, record_checksum, commit_checksum, checksum = struct.unpack(
            "<IQQQIIII", trailer[4:])
        if crc32c(trailer[:44]) != checksum or salt != self.salt or offset != place or flags > 1:
            return False
        record = self.data[record_offset:record_offset + record_count]
        if crc32c(record) != record_checksum:
            return False
        start, = struct.unpack_from("<Q", record, 32)
        if not flags and crc32c(self.data[start:place]) != commit_checksum:
            return False
        self.record = record
        return True

    def section(self, place):
        offset, count, checksum = struct.unpack_from("<QII", self.record, place)
        data = self.data[offset:offset + count]
        need(len(data) == count and crc32c(data) == checksum, "a section's checksum")
        return data

    def segments(self):
        """For each segment, the lowest first, its highest index and its blocks as (entity, run, block)."""
        key_count, segment_count = struct.unpack_from("<II", self.record, 104)
        place = 112 + 16 * key_count
        for _ in range(segment_count):
            _, _, highest_index, entry_count, page_count = struct.unpack_from("<QQH6xII", self.record, place)
            place += 32
            entries = self.record[place:place + 56 * entry_count]
            place += 56 * entry_count
            for page in range(page_count):
                entries += self.section(place + 32 * page)
            place += 32 * page_count
            yield highest_index, [self.block(entries[i:i + 56]) for i in range(0, len(entries), 56)]
        for count in struct.unpack_from("<HH", self.record, 4):
            self.record[place:place + count].decode("utf-8")
            place += count
        need(place == len(self.record), "a record's end")

    def block(self, entry):
        offset, count, rows, minimum, maximum, _, entity, run, codec, block_count, outside_count = struct.unpack_from(
            "<QIIQQqHBBIQ", entry)
        data = self.data[offset:offset + count]
        need(codec <= 2 and block_count <= 1032 * count + 64, "an entry's codec or size")

        def outside(reference):
            """3.4.9 and 4.5.7."""
            need(len(reference) == 32, "a reference's length")
            start, value_count, stored_count, checksum, codec = struct.unpack_from("<QQQIB", reference)
            need(64 <= start and start % 8 == 0 and start + stored_count <= offset, "a reference's place")
            need(stored_count <= outside_count, "an entry's values outside")
            need(codec <= 1 and value_count <= 1032 * stored_count + 64, "a value's codec or size")
            kept = self.data[start:start + stored_count]
            need(crc32c(kept) == checksum, "a value's checksum")
            value = zlib.decompress(kept) if codec else kept
            need(len(value) == value_count, "a value's size")
            return value

        if codec:
            data = zlib.decompress(data)
        block = Block(untransposed(data) if codec == 2 else data, outside)
        need((block.rows, block.minimum, block.maximum, block.entity, block.flags)
             == (rows, minimum, maximum, entity, run), "a block is another than its entry says")
        return entity, run, block

    def objects(self, schema):
        """3.5.3: each object's values by column number."""
        objects = {}
        for highest_index, blocks in self.segments():
            entries = {}
            for entity, run, block in blocks:
                if entity in schema.indexes:
                    entries.setdefault(entity, []).append(block)
                    continue
                for row, key in enumerate(block.keys):
                    if run == 2:
                        objects.pop((entity, key), None)
                        continue
                    if run == 0:
                        objects[entity, key] = {}
                    values = objects.get((entity, key))
                    if values is None:
                        continue
                    for number, column in block.columns.items():
                        if number < 0xF000 and column.is_given(row):
                            values[number] = column.value(row)
            for number, (entity, columns) in schema.indexes.items():
                if number <= highest_index:
                    rows = [one for one in blocks if one[0] == entity]
                    schema.check_index(entity, columns, rows, entries.get(number, []), objects)
        return objects


class Schema:
    """4.6.3."""

    def __init__(self, data):
        self.data, self.place = data, 4
        need(data[:4] == b"QSCH", "no schema")
        self.entities, self.indexes = {}, {}
        self.take("<H")
        for _ in range(self.take("<H")):
            self.take("<HH")
        for _ in range(self.take("<H")):
            number, name, columns = self.take("<H"), self.text(), []
            for _ in range(self.take("<H")):
                column, kind, flags = self.take("<HBB")
                title, default = self.text(), None
                if flags & 2:
                    default = default_text(kind, self.bytes(self.take("<I")))
                columns.append((column, title, default))
            for _ in range(self.take("<H")):
                self.take("<H")
                self.text()
            self.entities[number] = name, columns
        for _ in range(self.take("<H")):
            number, flags, name = self.take("<H"), self.take("<B"), self.text()
            for _ in range(2 if flags & 4 else 1):
                self.take("<H")
                for _ in range(self.take("<H")):
                    self.take("<H")
            columns = [(1, "source", None), (2, "target", None)]
            columns += [(3, "target#order", None)] if flags & 1 else []
            columns += [(4, "source#order", None)] if flags & 2 else []
            self.entities[number] = name, columns
        for _ in range(self.take("<H")):
            number, entity = self.take("<HH")
            self.indexes[number] = entity, [self.take("<H") for _ in range(self.take("<H"))]
        need(self.place == len(data), "a schema's end")

    def take(self, form):
        values = struct.unpack_from(form, self.data, self.place)
        self.place += struct.calcsize(form)
        return values if len(values) > 1 else values[0]

    def bytes(self, count):
        part = self.data[self.place:self.place + count]
        need(len(part) == count, "a schema ends early")
        self.place += count
        return part

    def text(self):
        return self.bytes(self.take("<H")).decode()

    def check_index(self, entity, columns, rows, runs, objects):
        """4.5.6: a run has an entry for each row put, and for each changed in one of the columns."""
        wanted = []
        defaults = {number: default for number, _, default in self.entities[entity][1]}
        for _, run, block in rows:
            for row, key in enumerate(block.keys):
                given = [c for c in columns if c in block.columns and block.columns[c].is_given(row)]
                if run == 0 or (run == 1 and given and (entity, key) in objects):
                    values = objects[entity, key]
                    wanted.append((key, [values.get(c, defaults[c]) for c in columns]))
        found = []
        for block in runs:
            need(block.keys[0] == len(found) + 1, "the places of an index")
            for row in range(block.rows):
                key = block.columns[0xFFFC].integer(row)
                found.append((key, [block.columns[c].value(row) for c in columns]))
        need(sorted(wanted, key=repr) == sorted(found, key=repr), f"the entries of an index of entity {entity}")


def default_text(kind, data):
    """A default as values are printed."""
    word = int.from_bytes(data, "little")
    if kind == BOOLEAN:
        return "true" if word else "false"
    if kind in (INT16, INT32, INT64):
        return str(signed(word))
    if kind == FLOAT:
        return struct.pack(">f", struct.unpack("<d", data)[0]).hex()
    if kind in (DOUBLE, DATE):
        return data[::-1].hex()
    if kind == DECIMAL:
        if data == b"NaN":
            return "nan"
        sign, digits, exponent = Decimal(data.decode()).as_tuple()
        magnitude = int("".join(map(str, digits)))
        return decimal(-magnitude if sign else magnitude, exponent)
    return data.hex()


def main():
    with open(sys.argv[1], "rb") as source:
        file = File(source.read())
    schema = Schema(file.section(80))
    xml.etree.ElementTree.fromstring(file.section(64))
    plistlib.loads(file.section(48))
    for (number, key), values in sorted(file.objects(schema).items()):
        if number not in schema.entities:
            continue
        name, columns = schema.entities[number]
        line = f"{name} {key}"
        for column, title, default in sorted(columns, key=lambda one: one[1].encode()):
            value = values.get(column, default)
            if value is not None:
                line += f" {title}={value}"
        print(line)


if __name__ == "__main__":
    try:
        main()
    except Damage as damage:
        sys.exit(f"damaged: {damage}")
