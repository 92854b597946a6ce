"""The structures of a block file (4): trailers, records, segments and the entries of blocks."""

import struct
import zlib

from block import FILE_HEADER, LARGEST
from findings import Bytes, Refused, crc32c

RECORD_LIMIT, SECTION_LIMIT, UNSETTLED, HIGHEST_COMMIT = 1 << 24, 1 << 26, 262_144, 1 << 62
TRAILER = 48  # bytes


class Slot:
    """4.2.4: the commit that a slot names, and how many bytes the file has at least."""

    def __init__(self, trailer_offset, file_count):
        self.trailer_offset, self.file_count = trailer_offset, file_count

    @staticmethod
    def read(data, salt):
        """None for an empty slot, and "damaged" for one that can't be."""
        if not any(data):
            return None
        slot = Slot(int.from_bytes(data[:6], "little"), int.from_bytes(data[6:12], "little"))
        is_whole = crc32c(struct.pack("<Q", salt) + data[:12]) == int.from_bytes(data[12:], "little")
        return slot if is_whole and slot.trailer_offset + TRAILER <= slot.file_count else "damaged"


def acknowledgement(salt, trailer_offset):
    """4.3.9: the bytes that acknowledge the commit with the trailer at an offset."""
    return b"QACK" + struct.pack("<I", crc32c(struct.pack("<QQ4s", salt, trailer_offset, b"QACK")))


class Trailer:
    """4.3.1 and 4.3.2"""

    def __init__(self, data, offset):
        (self.flags, self.salt, _, self.record_count, self.record_checksum, self.commit_checksum, _, self.acknowledgement) = (
            struct.unpack_from("<IQQIIII8s", data, 4))
        self.offset, self.end, self.record_offset = offset, offset + TRAILER, offset - self.record_count & ~7

    @property
    def is_acknowledged(self):
        return self.acknowledgement == acknowledgement(self.salt, self.offset)

    @staticmethod
    def read(data, offset, salt):
        """The trailer at an offset, or None where none counts."""
        part = data[offset:offset + TRAILER]
        if len(part) < TRAILER or part[:4] != b"QEND" or crc32c(part[:36]) != int.from_bytes(part[36:40], "little"):
            return None
        trailer = Trailer(part, offset)
        own_offset, = struct.unpack_from("<Q", part, 16)
        if (trailer.flags > 1 or trailer.salt != salt or own_offset != offset or trailer.record_count > RECORD_LIMIT
                or trailer.record_offset < FILE_HEADER):
            return None
        return trailer


class Entry:
    """4.5.2"""

    def __init__(self, fields):
        (self.offset, self.byte_count, self.rows, self.minimum, self.maximum, self.version, self.entity, self.run,
         self.codec, self.block_count, self.outside_count) = fields
        self.key = fields
        self.place = self.entity, self.run, self.minimum

    def lies_before(self, limit):
        return (self.byte_count <= LARGEST and self.offset % 8 == 0 and FILE_HEADER <= self.offset <= limit
                and self.byte_count <= limit - self.offset)

    def precedes(self, other):
        is_same_run = (self.entity, self.run) == (other.entity, other.run)
        return self.place < other.place and (not is_same_run or self.maximum < other.minimum)


ENTRY = "QIIQQqHBBIQ"


class Record:
    """4.4.1"""

    def __init__(self, data):
        reader = Bytes(data, "4.4.1", 4)
        author, context = reader.take("HH")
        self.number, self.time, self.previous, self.start, self.live = reader.take("qqQQQ")
        self.references = {name: reader.take("QII") for name in ("metadata", "model", "schema")}
        self.schema_number, key_count, segment_count = reader.take("qII")
        if max(key_count, segment_count) > reader.rest // 16:
            raise Refused("4.4.1", "the record is shorter than it says")
        self.reserved = b""
        self.next_keys = []
        for _ in range(key_count):
            key, entity, reserved = reader.take("QH6s")
            self.next_keys.append((entity, key))
            self.reserved += reserved
        self.segments = [self.segment(reader) for _ in range(segment_count)]
        self.author, self.context = reader.text(author), reader.text(context)
        self.excess = reader.rest

    def segment(self, reader):
        rows, count, highest_index, reserved, entry_count, page_count = reader.take("QQH6sII")
        self.reserved += reserved
        if (entry_count == 0) == (page_count == 0):
            raise Refused("4.5.1", "a segment has blocks and pages, or neither")
        if entry_count > reader.rest // 56 or page_count > reader.rest // 32:
            raise Refused("4.5.1", "a segment's blocks do not fit the record")
        entries = [Entry(reader.take(ENTRY)) for _ in range(entry_count)]
        pages = []
        for _ in range(page_count):
            *page, reserved = reader.take("QIIQHHB3s")
            self.reserved += reserved
            pages.append(Page(page))
        return SegmentRecord(rows, count, highest_index, entries, pages)

    def starts_in_place(self, offset):
        return self.start % 8 == 0 and FILE_HEADER <= self.start <= offset and self.previous < self.start


class Page:
    """4.5.3"""

    def __init__(self, fields):
        self.offset, self.byte_count, self.checksum, key, entity, self.count, run = fields
        self.first, self.key = (entity, run, key), tuple(fields)

    @property
    def has_possible_count(self):
        return 1 <= self.count <= 64 and self.byte_count == 56 * self.count


class SegmentRecord:
    def __init__(self, rows, count, highest_index, entries, pages):
        self.rows, self.byte_count, self.highest_index, self.entries, self.pages = rows, count, highest_index, entries, pages
        self.key = rows, count, highest_index, tuple(one.key for one in entries), tuple(one.key for one in pages)


class Summary:
    """What entries say together."""

    def __init__(self):
        self.first = self.last = None
        self.rows = self.byte_count = self.end = self.version = 0
        self.has_only_puts = self.is_sound = True
        self.entries = []

    def add(self, entry, is_index):
        self.first, self.last = self.first or entry, entry
        self.rows += 0 if is_index else entry.rows
        self.byte_count += entry.byte_count + entry.outside_count
        self.end, self.version = max(self.end, entry.offset + entry.byte_count), max(self.version, entry.version)
        self.has_only_puts = self.has_only_puts and entry.run == 0
        self.entries.append(entry)

    def add_page(self, page):
        self.first, self.last = self.first or page.first, page.last or self.last
        self.rows, self.byte_count = self.rows + page.rows, self.byte_count + page.byte_count
        self.end, self.version = max(self.end, page.end), max(self.version, page.version)
        self.has_only_puts, self.is_sound = self.has_only_puts and page.has_only_puts, self.is_sound and page.is_sound
        self.entries += page.entries


class Part:
    """A range of the file that something refers to, and what is said of it (4.4.4)."""

    def __init__(self, kind, start, end):
        self.kind, self.start, self.end = kind, start, end
        self.checksums, self.entries, self.references, self.is_shared = [], {}, {}, False


def lies_in_place(offset, count, limit):
    """4.4.2"""
    return count <= SECTION_LIMIT and offset % 8 == 0 and FILE_HEADER <= offset <= limit and count <= limit - offset


def expanded(data, count):
    """The bytes that zlib's format gives, or None where these are not exactly as many."""
    decoder = zlib.decompressobj()
    try:
        result = decoder.decompress(bytes(data), count + 1)
    except zlib.error:
        return None
    return result if len(result) == count and decoder.eof and not decoder.unused_data else None
