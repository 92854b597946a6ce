"""Writes block files (4): sections, records, trailers and slots, and keeps the objects that a reader must find.

A `BlockFile` is told what to append, part by part, so that the parts of a commit can lie in any order. It computes offsets, counts and
checksums. Beside the bytes it keeps the rows of each block as plain values, and so knows the objects of each commit without reading a byte.
"""

import struct

import blockwriter
from block import FILE_HEADER, canonical
from blockwriter import Column, stored_zlib
from findings import align, crc32c
from identity import value_word
from records import ENTRY, TRAILER, acknowledgement
from schema import DECIMAL, INT64, word
from words import words

PUT, CHANGED, REMOVED = range(3)
OBJECT = 0xFFFC


class Entry:
    """The entry of a block that was written (4.5.2), and the rows of the block as plain values: {key: {name of a column: value}}."""

    def __init__(self, fields, entity, run, rows):
        self.fields, self.entity, self.run, self.rows = fields, entity, run, rows
        self.order = fields[6], fields[7], fields[3]

    @property
    def data(self):
        return struct.pack("<" + ENTRY, *self.fields)


class Segment:
    """The blocks of a segment (4.5.1), and how its entries are listed: `pages` are numbers of entries, or None to list them in the record."""

    def __init__(self, entries, pages=None, highest_index=0):
        self.entries, self.pages, self.highest_index = sorted(entries, key=lambda entry: entry.order), pages, highest_index
        self.page_data = None


class Commit:
    """A commit that was written: where it lies, and its objects by entity and key."""

    def __init__(self, start, trailer_offset, number, objects):
        self.start, self.trailer_offset, self.number, self.objects = start, trailer_offset, number, objects

    @property
    def end(self):
        return self.trailer_offset + TRAILER


class BlockFile:
    def __init__(self, plan, uuid, salt, is_compressed=False, features=b"", place=0):
        self.plan, self.uuid, self.salt, self.is_compressed, self.place = plan, uuid, salt, is_compressed, place
        self.feature_count = len(features)
        self.data = bytearray(FILE_HEADER) + features
        self.commits, self.sections, self.next_keys, self.slots = [], {}, {}, [None, None]
        self.start = len(self.data)
        self.schema_number = 0

    @property
    def kind(self):
        return "CompressedBinary" if self.is_compressed else "Binary"

    # --- Sections

    def append(self, data):
        """Appends a part at the next multiple of 8, and returns its offset."""
        self.data += bytes(align(len(self.data)) - len(self.data))
        self.data += data
        return len(self.data) - len(data)

    def section(self, name, data):
        """Appends the metadata, the model or the schema that the next commits refer to."""
        self.sections[name] = self.append(data), len(data), crc32c(bytes(data))

    def write_model(self, order=("metadata", "model", "schema"), more=None):
        """Appends the three sections in an order of the caller."""
        contents = {"metadata": self.plan.metadata(self.uuid, self.kind, more), "model": self.plan.xml, "schema": self.plan.data}
        for name in order:
            self.section(name, contents[name])

    def outside(self, value, is_compressed=False):
        """Appends a value of its own (3.4.9), and returns the reference."""
        stored = stored_zlib(value) if is_compressed else value
        return struct.pack("<QQQIB3x", self.append(stored), len(value), len(stored), crc32c(stored), is_compressed)

    # --- Blocks

    def columns(self, name):
        number = self.plan.entities.get(name) or self.plan.tables[name]
        return number, self.plan.schema.layouts[number].by_name

    def put(self, entity, rows, plans=None, codec=0, versions=None, version=None, bases=None, outside=None, key_plan=None):
        """Appends a block of whole rows: {key: {name: value}}. `outside` has the reference of a value by (key, name)."""
        return self.block(entity, PUT, rows, plans, codec, versions, version, bases, outside, key_plan)

    def change(self, entity, rows, plans=None, codec=0, versions=None, version=None, bases=None, outside=None):
        """Appends a block of changes. A row gives the columns that it has, also if their value is None."""
        return self.block(entity, CHANGED, rows, plans, codec, versions, version, bases, outside)

    def remove(self, entity, keys, versions=None, version=None, bases=None):
        return self.block(entity, REMOVED, {key: {} for key in keys}, None, 0, versions, version, bases)

    def block(self, entity, run, rows, plans, codec, versions, version, bases, outside=None, key_plan=None):
        number, by_name = self.columns(entity)
        keys = sorted(rows)
        names = {name for row in rows.values() for name in row}
        columns, stored_count = [], 0
        for name in sorted(names):
            values, given, places = [], [], []
            for place, key in enumerate(keys):
                value = rows[key].get(name)
                if (key, name) in (outside or {}):
                    reference = outside[key, name]
                    value, stored_count = reference, stored_count + struct.unpack_from("<Q", reference, 16)[0]
                    places.append(place)
                values.append(value)
                given.append(name in rows[key])
            column = by_name[name]
            columns.append(Column(
                column.number, column.kind, values, (plans or {}).get(name), given if run == CHANGED else None, places))
        if version is None:
            version = max(versions) if versions else self.next_number
        return self.append_block(number, entity, run, keys, columns, codec, versions, version, bases, stored_count, rows, key_plan)

    def append_block(self, number, entity, run, keys, columns, codec, versions, version, bases, stored_count, rows, key_plan=None):
        plain, turned = blockwriter.block(number, keys, columns, run, versions, bases, key_plan)
        stored = stored_zlib(turned) if codec else plain
        offset = self.append(stored)
        fields = (offset, len(stored), len(keys), keys[0], keys[-1], version, number, run, codec, len(plain), stored_count)
        return Entry(fields, entity, run, rows)

    def index_entries(self, index, rows, plans=None):
        """Appends the entries of an index (4.5.6) of rows by key, which have the values of all columns of the index."""
        entries = [(*(row.get(name) for name in index.columns), key) for key, row in rows.items()]
        if index.has_words:
            entries = [(one, key) for text, key in entries if text is not None for one in set(words(text))]
        entries.sort(key=lambda entry: (*map(place_of, entry[:-1]), entry[-1]))
        return self.append_entries(index, entries, plans)

    def append_entries(self, index, entries, plans=None):
        """Appends entries of an index as they are given: each has the values of the columns, and then the key of the object."""
        _, by_name = self.columns(index.owner)
        columns = [Column(by_name[name].number, by_name[name].kind, [entry[place] for entry in entries], (plans or {}).get(name))
                   for place, name in enumerate(index.columns)]
        columns.append(Column(OBJECT, INT64, [entry[-1] for entry in entries]))
        keys = list(range(1, len(entries) + 1))
        return self.append_block(index.number, None, PUT, keys, columns, 0, None, 0, None, 0, {})

    # --- Commits

    @property
    def next_number(self):
        return self.commits[-1].number + 1 if self.commits else 1

    def pages(self, segment):
        """Appends the pages of a segment (4.5.3), once."""
        if segment.pages is not None and segment.page_data is None:
            assert sum(segment.pages) == len(segment.entries) and max(segment.pages) <= 64
            references, place = [], 0
            for count in segment.pages:
                entries = segment.entries[place:place + count]
                data, first = b"".join(entry.data for entry in entries), entries[0].fields
                references.append(struct.pack("<QIIQHHB3x", self.append(data), len(data), crc32c(data), first[3], first[6], count, first[7]))
                place += count
            segment.page_data = references

    def record(self, number, time, segments, author, context, previous):
        """4.4.1"""
        listed, live = b"", 0
        for segment in segments:
            rows = sum(entry.fields[2] for entry in segment.entries if entry.entity is not None)
            count = sum(entry.fields[1] + entry.fields[10] for entry in segment.entries)
            count += 56 * len(segment.entries) if segment.pages else 0
            parts = segment.page_data or [entry.data for entry in segment.entries]
            counts = (0, len(parts)) if segment.pages else (len(parts), 0)
            listed += struct.pack("<QQH6xII", rows, count, segment.highest_index, *counts) + b"".join(parts)
            live += count
        keys = b"".join(struct.pack("<QH6x", key, entity) for entity, key in sorted(self.next_keys.items()))
        texts = author.encode(), context.encode()
        tail = keys + listed + b"".join(texts)
        references = [self.sections[name] for name in ("metadata", "model", "schema")]
        live += FILE_HEADER + TRAILER + 112 + len(tail) + sum(count for _, count, _ in references)
        return struct.pack(
            "<4sHHqqQQQ", b"QCMT", len(texts[0]), len(texts[1]), number, time, previous, self.start, live) + b"".join(
            struct.pack("<QII", *one) for one in references) + struct.pack("<qII", self.schema_number, len(self.next_keys), len(segments)) + tail

    def commit(self, segments=(), number=None, time=0, author="", context="", is_settled=False, acknowledges=False, previous=None):
        """Appends the record and the trailer. The parts that were appended since the commit before belong to this one."""
        number = self.next_number if number is None else number
        previous = previous or (self.commits[-1] if self.commits else None)
        for segment in segments:
            self.pages(segment)
        self.schema_number = self.schema_number or number
        record = self.record(number, time, segments, author, context, previous.trailer_offset if previous else 0)
        self.append(record)
        trailer = align(len(self.data))
        self.data += bytes(trailer - len(self.data))
        checksum = 0 if is_settled else crc32c(bytes(self.data[self.start:]))
        end = struct.pack("<4sIQQIII", b"QEND", is_settled, self.salt, trailer, len(record), crc32c(record), checksum)
        self.data += end + struct.pack("<I8x", crc32c(end))
        self.commits.append(Commit(self.start, trailer, number, self.objects(segments)))
        if acknowledges:
            self.acknowledge(self.commits[-1])
        self.start = len(self.data)
        return self.commits[-1]

    def change_model(self, plan, number=None):
        """The next commit changes the model (4.6.4). Its sections come by `write_model`."""
        self.plan, self.schema_number = plan, number or self.next_number

    def objects(self, segments):
        """3.5: {entity: {key: {name of a column: value}}}, from the rows as they were given."""
        found = {}
        for segment in segments:
            for entry in segment.entries:
                rows = found.setdefault(entry.entity, {})
                for key, values in entry.rows.items():
                    if entry.run == PUT:
                        rows[key] = dict(values)
                    elif entry.run == CHANGED:
                        rows[key].update(values)
                    else:
                        del rows[key]
        return found

    # --- Slots and acknowledgements

    def acknowledge(self, commit):
        """4.3.9"""
        self.data[commit.trailer_offset + 40:commit.end] = acknowledgement(self.salt, commit.trailer_offset)

    def name(self, slot, commit, file_count=None):
        """4.2.4: names a commit in a slot, with the number of bytes of the file up to now, or another."""
        body = commit.trailer_offset.to_bytes(6, "little") + (len(self.data) if file_count is None else file_count).to_bytes(6, "little")
        self.slots[slot] = body + struct.pack("<I", crc32c(struct.pack("<Q", self.salt) + body))

    def bytes(self):
        """The file. If no slot was named, slot 0 names the last commit."""
        if self.slots == [None, None]:
            self.name(0, self.commits[-1])
        header = struct.pack("<8sHHHH16sQ", b"QRBLOCKS", 1, 0, self.is_compressed, self.feature_count, self.uuid, self.salt)
        slots = b"".join(slot or bytes(16) for slot in self.slots)
        header += slots + struct.pack("<II", self.place, crc32c(header + bytes(36)))
        return bytes(header + self.data[FILE_HEADER:])

    def lines(self, commit=None):
        """The objects of a commit, or of the last one, as 4.9 writes them."""
        return object_lines(self.plan, (commit or self.commits[-1]).objects)

    def row_lines(self, commit=None):
        """The rows of a commit, or of the last one, as the identity of a version has them (7.7.9)."""
        plan = self.plan
        starts = {name: plan.forward(name) for name in plan.tables}
        return object_lines(plan, (commit or self.commits[-1]).objects, starts, lambda value, kind: value_word(value, kind, plan.schema.entities))


def place_of(value):
    """4.5.6: what orders integers and texts, and no value before them."""
    return () if value is None else (value,)


def object_lines(plan, objects, starts=None, write=word):
    """The lines of rows. `starts` has what the rows of some entities or link tables begin with in place of a name and a key."""
    found = []
    for number, layout in sorted(plan.schema.layouts.items()):
        columns = sorted(layout.columns, key=lambda column: column.name.encode())
        for key, row in sorted(objects.get(layout.name, {}).items()):
            values = ((column, row.get(column.name, column.default)) for column in columns)
            words = [f"{column.name}={write(plain(value, column.kind), column.kind)}" for column, value in values if value is not None]
            found.append(" ".join([(starts or {}).get(layout.name) or f"{layout.name} {key}", *words]))
    return found


def plain(value, kind):
    """A value in the form of which there is one only: a magnitude may end with zeros if the exponent is 127 (3.4.6)."""
    return canonical(*value) if kind == DECIMAL and value != "NaN" else value


def reference(plan, entity, key):
    """The value of a reference (3.2.2)."""
    return plan.entities[entity] << 48 | key


def features(*found):
    """4.2.5: the bytes of features, each a class and a name."""
    area = b"".join(struct.pack("<BB", kind, len(name)) + name.encode() for kind, name in found)
    area = area.ljust(align(len(area) + 4) - 4, b"\0")
    return area + struct.pack("<I", crc32c(area))
