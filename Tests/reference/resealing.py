"""Changes block files and computes all their checksums anew, so that a change is judged for what it says.

The places of checksums are those of the unchanged file: a checksum is computed over the bytes that it was over before.
"""

import os
import struct
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "spec/reference"))
import block  # noqa: E402
import blockfile  # noqa: E402
import records  # noqa: E402
from block import FILE_HEADER  # noqa: E402
from findings import Report, crc32c  # noqa: E402


class Source:
    """A valid block file, the places of its fields, and what each checksum is over."""

    def __init__(self, data):
        self.data = data
        self.file = blockfile.File(data).judge()
        assert self.file.report.verdict == "valid", self.file.report.findings
        # Functions that put a checksum into changed bytes. A checksum over bytes with a checksum comes later.
        self.seals = []
        # Ranges that mean something, and are worth a change.
        self.ranges = [(0, FILE_HEADER)]
        self.fields = []
        self.find_blocks()
        self.find_commits()
        features_end = FILE_HEADER + int.from_bytes(data[14:16], "little")
        if features_end > FILE_HEADER:
            self.fields.append((FILE_HEADER, features_end))
            self.seal(FILE_HEADER, features_end - 4, features_end - 4)
        self.seals.append(self.seal_slots)
        self.seals.append(self.seal_acknowledgements)
        self.seals.append(lambda data: put32(data, 76, crc32c(bytes(data[:40]) + bytes(36))))

    def find_blocks(self):
        for part in self.file.parts.values():
            if part.kind == "value" or part.entries or part.kind in ("metadata", "model", "schema", "page", "record", "trailer"):
                if part.end > part.start:
                    self.ranges.append((part.start, part.end))
            for entry in part.entries.values():
                if entry.codec == 0:
                    self.find_columns(part.start, entry)

    def find_columns(self, start, entry):
        data = self.data[start:start + entry.byte_count]
        found = block.Block(data, Report())
        found.read_header()
        place = 48
        for column in found.read_directory():
            count = column.body_count
            if count:
                tables = block.table_count(count)
                chunk = start + column.chunk_offset
                self.seal_references(column, found, chunk + tables)
                for page in range((count + 4095) // 4096 if tables else 0):
                    first, last = chunk + tables + page * 4096, chunk + tables + min((page + 1) * 4096, count)
                    self.seal(first, last, chunk + page * 4)
                self.seal(chunk, chunk + (tables or count), start + place + 16)
                self.ranges.append((chunk, chunk + tables + count))
            self.fields.append((start + place, start + place + 24))
            place += 24 + 8 * parameter_count(column)
        header_count = found.header_count

        def seal_header(data):
            put32(data, start + 12, 0)
            put32(data, start + 12, crc32c(bytes(data[start:start + header_count])))
        self.seals.append(seal_header)
        self.fields.append((start, start + header_count))

    def seal_references(self, column, found, body):
        """The checksums that references to values outside contain."""
        if not column.flags & block.OUTSIDE:
            return
        found.read_column(column, 1 << 62, 1 << 62)
        rows = range(found.rows)
        heap = body + column.body_count - len(column.heap)
        for row in rows:
            if column.is_outside(row):
                place = heap + column.offsets[row]
                reference = block.Reference(self.data[place:place + 32])
                self.seal(reference.offset, reference.offset + reference.stored_count, place + 24)

    def find_commits(self):
        for trailer, record in reversed(self.file.commits):
            place = 48
            for offset, count, _ in record.references.values():
                self.seal(offset, offset + count, trailer.record_offset + place + 12)
                self.fields.append((trailer.record_offset + place, trailer.record_offset + place + 16))
                place += 16
            self.seal_pages(trailer, record)
            self.fields.append((trailer.record_offset, trailer.record_offset + trailer.record_count))
            self.seal(trailer.record_offset, trailer.record_offset + trailer.record_count, trailer.offset + 28)
            if not trailer.flags:
                self.seal(record.start, trailer.offset, trailer.offset + 32)
            self.seal(trailer.offset, trailer.offset + 36, trailer.offset + 36)

    def seal_pages(self, trailer, record):
        place = trailer.record_offset + 112 + 16 * len(record.next_keys)
        for segment in record.segments:
            place += 32 + 56 * len(segment.entries)
            for page in segment.pages:
                self.seal(page.offset, page.offset + page.byte_count, place + 12)
                self.fields.append((page.offset, page.offset + page.byte_count))
                place += 32

    def seal(self, start, end, place):
        self.seals.append(lambda data: put32(data, place, crc32c(bytes(data[start:end]))))

    @staticmethod
    def seal_slots(data):
        for start in (40, 56):
            if any(data[start:start + 16]):
                put32(data, start + 12, crc32c(bytes(data[32:40] + data[start:start + 12])))

    def seal_acknowledgements(self, data):
        for trailer, _ in self.file.commits:
            if data[trailer.offset + 40:trailer.offset + 44] == b"QACK":
                acknowledge(data, trailer.offset)

    def resealed(self, data):
        for seal in self.seals:
            if len(data) == len(self.data):
                seal(data)
        return bytes(data)

    def mutant(self, source):
        """Returns the file with one to three changes and right checksums."""
        data = bytearray(self.data)
        if source.random() < 0.06:
            return self.cut_or_grown(source)
        if source.random() < 0.08:
            return self.torn(source)
        for _ in range(source.choice([1, 1, 1, 2, 3])):
            self.change(source, data)
        if source.random() < 0.05:
            return bytes(data)
        return self.resealed(data)

    def cut_or_grown(self, source):
        kind = source.randrange(3)
        if kind == 0:
            return self.data[:source.randrange(len(self.data))]
        if kind == 1:
            return self.data + bytes(source.randrange(256) for _ in range(source.randrange(1, 120)))
        return self.data + bytes(source.choice([1, 8, 47, 48, 4096])) + source.choice([b"", b"", b"\1", b"QACK"])

    def torn(self, source):
        """The file after a power cut during its last saves: a run of bytes is lost, and the slots may be behind.

        Some of the commits are acknowledged in their trailers, and zeros may follow the last one (4.3).
        """
        data, commits = bytearray(self.data), self.file.commits
        behind = source.randrange(min(4, len(commits)))
        if source.random() < 0.8:
            count = source.choice([commits[behind][0].end, commits[behind][0].end, len(data), len(data) + 8])
            data[40:72] = (commits[behind][0].offset.to_bytes(6, "little") + count.to_bytes(6, "little")).ljust(32, b"\0")
            self.seal_slots(data)
        for trailer, _ in commits:
            if source.random() < 0.3:
                acknowledge(data, trailer.offset)
        start = commits[behind][0].end if behind else commits[0][1].start
        place = source.randrange(start, len(data))
        for index in range(place, min(len(data), place + source.choice([1, 8, 24, 48, 512]))):
            data[index] = 0
        if source.random() < 0.3:
            data[place] ^= 1 << source.randrange(8)
        return bytes(data[:source.choice([len(data), len(data), place])]) + bytes(source.choice([0, 0, 8, 1000]))

    def change(self, source, data):
        start, end = source.choice(self.fields if source.random() < 0.7 else self.ranges)
        width = source.choice([1, 1, 2, 4, 8])
        if end - start < width:
            width = 1
        place = start + source.randrange((end - start) // width) * width
        value = int.from_bytes(data[place:place + width], "little")
        limit = 1 << 8 * width
        kind = source.randrange(6)
        if kind == 0:
            value ^= 1 << source.randrange(8 * width)
        elif kind == 1:
            value += source.choice([1, -1, 2, 8, -8, 64])
        elif kind == 2:
            value = source.choice([0, 1, limit - 1, limit >> 1, (limit >> 1) - 1, len(data), 255])
        elif kind == 3:
            other = source.choice(self.fields)
            count = min(other[1] - other[0], end - place, source.choice([width, 8, 16, 24, 56]))
            data[place:place + count] = data[other[0]:other[0] + count]
            return
        elif kind == 4:
            value = source.randrange(limit)
        else:
            value = value << source.choice([1, 8]) | source.randrange(2)
        data[place:place + width] = (value % limit).to_bytes(width, "little")


def parameter_count(column):
    if column.flags & block.NOTHING:
        return 0
    if column.encoding in (1, 2):
        return 2 if column.flags & block.SLOPED else 1
    return 2 if column.encoding in (5, 6) else 0


def acknowledge(data, trailer_offset):
    salt = int.from_bytes(data[32:40], "little")
    data[trailer_offset + 40:trailer_offset + 48] = records.acknowledgement(salt, trailer_offset)


def put32(data, place, value):
    data[place:place + 4] = struct.pack("<I", value)
