"""Block files (4): commits, what they refer to, and the objects of one of them."""

import struct

import metadata
import model as models
import schema as schemas
from block import FILE_HEADER, HIGHEST_KEY, LARGEST, OBJECT, VERSION, Block, most_bytes, untransposed
from findings import SEVERITIES, Refused, Report, crc32c, is_feature
from graph import Graph, Segment, judge_indexes
from records import (
    ENTRY, HIGHEST_COMMIT, TRAILER, UNSETTLED, Entry, Part, Record, Slot, Summary, Trailer, acknowledgement, expanded,
    lies_in_place)

# Rules about parts that a reader of objects does not need: reserved bytes, slots, zeros, counts, next keys, the values of metadata, the choice
# of entries in indexes, and the rules of the model.
UNREAD = (
    "BLCK-004", "BLCK-005", "BLCK-006", "BLCK-021", "BLCK-034", "BLCK-036", "BLCK-040", "BLCK-044", "BLCK-045", "BLCK-080",
    *(f"META-{number:03}" for number in range(2, 10)), "INDX-001", "INDX-003", "INDX-004", "INDX-005", "INDX-006", "GRAF")


class File:
    """A block file that is judged part by part. `read` refuses what is not a valid file."""

    def __init__(self, data, report=None, counting=None, is_log=False):
        self.data, self.report, self.counting, self.is_log = data, report or Report(), counting, is_log
        self.parts, self.commits, self.header_is_sound = {}, [], False
        self.unconfirmed, self.summaries, self.pages = [], {}, {}
        self.models, self.schemas, self.index_numbers, self.blocks = {}, {}, set(), {}
        self.newest = self.model = self.schema = self.metadata = None
        self.uuid = self.kind = None
        self.salt, self.header_end, self.slots = 0, FILE_HEADER, []

    def add(self, rule, message):
        self.report.add(rule, message)

    def part(self, kind, start, count):
        return self.parts.setdefault((start, start + count), Part(kind, start, start + count))

    # --- 4.2

    def read_header(self):
        data = self.data
        if data[:8] != b"QRBLOCKS":
            self.report.format = "unknownFormat"
            return self.add("FILE-001", "the first bytes are of no known format")
        if len(data) < FILE_HEADER:
            return self.add("BLCK-001", "the file is shorter than its header")
        major, _, flags, feature_count = struct.unpack_from("<HHHH", data, 8)
        if major > 1:
            self.report.format = "newerFormat"
            return self.add("FILE-002", f"the file is of version {major}")
        self.salt, = struct.unpack_from("<Q", data, 32)
        self.slots = [Slot.read(data[start:start + 16], self.salt) for start in (40, 56)]
        if crc32c(data[:40] + bytes(36)) != struct.unpack_from("<I", data, 76)[0]:
            self.add("BLCK-001", "the header's checksum")
            return True
        self.header_is_sound = True
        if major == 0:
            self.add("BLCK-002", "the version is 0")
        if not self.read_features(feature_count):
            return None
        if flags > 1:
            self.add("BLCK-003", f"the flags are {flags}")
        for slot in self.slots:
            if slot == "damaged":
                self.add("BLCK-005", "a slot is damaged")
        if self.slots == [None, None]:
            self.add("BLCK-007", "both slots are empty")
        if not self.report.error_count:
            self.uuid, self.kind = data[16:32], "CompressedBinary" if flags & 1 else "Binary"
        self.is_compressed = bool(flags & 1)
        return True

    def read_features(self, count):
        """4.2.5; returns whether the file may be read."""
        if count == 0:
            return True
        area, found = self.data[FILE_HEADER:FILE_HEADER + count], []
        if count % 8 or count > 4096 - FILE_HEADER or len(area) < count or crc32c(area[:-4]) != int.from_bytes(area[-4:], "little"):
            return self.add("BLCK-008", "the features do not match their checksum")
        rest = area[:-4]
        while rest[:1] not in (b"", b"\0"):
            length = rest[1] if len(rest) > 1 else 0
            name = rest[2:2 + length].decode("latin-1")
            if len(name) != length or not is_feature(name):
                return self.add("BLCK-008", "a feature has no valid name")
            found.append((name, {1: "ignore", 2: "read"}.get(rest[0], "refuse")))
            rest = rest[2 + length:]
        if any(rest):
            return self.add("BLCK-008", "bytes behind the features")
        refused = [name for name, kind in found if kind == "refuse"]
        if refused:
            self.report.format = "newerFormat"
            return self.add("FILE-002", f"the file uses {refused}")
        for name, _ in found:
            self.add("BLCK-009", f"the feature {name} is not known")
        self.part("header", FILE_HEADER, count)
        self.header_end = FILE_HEADER + count
        return True

    @property
    def named(self):
        """The slots that name a commit, the newest commit first."""
        return sorted((slot for slot in self.slots if isinstance(slot, Slot)), key=lambda slot: (-slot.trailer_offset, slot.file_count))

    @property
    def uses_slots(self):
        """Whether slots and acknowledgements tell which commits were acknowledged, and no manifest does (4.3.3, 7.4.11)."""
        return self.counting is None or self.is_log

    # --- 4.3

    def record(self, trailer):
        """The record of a trailer; None where it can't be read."""
        data = self.data[trailer.record_offset:trailer.record_offset + trailer.record_count]
        try:
            return Record(data) if data[:4] == b"QCMT" else None
        except Refused:
            return None

    def record_is_whole(self, trailer):
        data = self.data[trailer.record_offset:trailer.record_offset + trailer.record_count]
        return crc32c(data) == trailer.record_checksum

    def bytes_are_whole(self, trailer, start):
        if not FILE_HEADER <= start <= trailer.offset or trailer.offset - start > UNSETTLED:
            return True
        return crc32c(self.data[start:trailer.offset]) == trailer.commit_checksum

    def is_whole(self, trailer):
        if not self.record_is_whole(trailer):
            return False
        record = None if trailer.flags else self.record(trailer)
        return record is None or self.bytes_are_whole(trailer, record.start)

    def find_standing(self, named, counting=0):
        """4.3.8: the newest commit that stands, and the trailers of broken ones behind it."""
        broken = []
        newest = self.find_newest(len(self.data), broken)
        highest = named[0].trailer_offset if named else -1
        trailer = newest
        while trailer and not trailer.flags and trailer.offset > highest:
            record = self.record(trailer)
            if record is None or record.number <= counting or not 0 < record.previous < trailer.offset:
                break
            trailer = Trailer.read(self.data, record.previous, self.salt)
            if trailer is None or not self.is_whole(trailer):
                trailer = newest = self.find_newest(record.previous + TRAILER, broken)
        return newest, broken

    def find_newest(self, end, broken):
        """4.3.3: the last whole commit before an offset. Adds the trailers of broken ones behind it."""
        for place in range(end - TRAILER & ~7, FILE_HEADER - 1, -8):
            if self.data[place:place + 4] != b"QEND":
                continue
            trailer = Trailer.read(self.data, place, self.salt)
            if trailer is None:
                continue
            if self.is_whole(trailer):
                return trailer
            broken.append(trailer)
            if len(broken) == 64:
                return None
        return None

    def find_shown(self):
        """The trailer of the commit that the file shows, or that counts in its document (7.4.4)."""
        newest, broken = self.find_standing(self.named if self.uses_slots else [], self.counting or 0)
        if newest is None:
            return self.judge_broken(broken)
        before = self.report.error_count
        if self.uses_slots:
            self.judge_damage(newest, broken)
        if self.counting is None:
            if self.report.error_count == before:
                self.judge_tail(newest)
            return newest
        found = self.find_counted(newest)
        if not found:
            if self.report.error_count == before:
                self.judge_damage(newest, broken)
            if self.report.error_count == before and self.header_is_sound:
                self.add("CONT-012", f"there is no commit {self.counting}")
            return None
        if self.report.error_count == before and any(self.data[found.end:]):
            self.add("CONT-015", "bytes lie behind the commit that counts")
        return found

    def find_counted(self, trailer):
        while (record := self.record(trailer)) and record.number > self.counting and record.previous > 0:
            self.unconfirmed.append(record.number)
            if not record.starts_in_place(trailer.record_offset):
                return self.add("BLCK-018", "a commit begins elsewhere")
            trailer = self.commit_before(record)
            if trailer is None:
                return None
            if not self.is_whole(trailer):
                return self.add("BLCK-015", "an earlier commit is not whole")
        return trailer if record and record.number == self.counting else None

    def versions(self, after):
        """7.4.11: the versions that commits are by themselves. Of commits that repeat a number, the first one made the version."""
        found = []
        trailer = self.read_header() and self.find_standing(self.named, after)[0]
        while trailer and (record := self.record(trailer)) and record.number > after:
            version = self.version(record)
            if version is not None:
                if found and found[-1]["number"] == record.number:
                    found.pop()
                found.append(version)
            if record.previous == 0 or not record.starts_in_place(trailer.record_offset):
                break
            trailer = self.commit_before(record)
        return found[::-1]

    def version(self, record):
        """The version that a commit is; None if it is none."""
        offset, count, checksum = record.references["metadata"]
        data = self.data[offset:offset + count]
        if len(data) != count or crc32c(data) != checksum:
            return None
        before = metadata.version_before(data, record.number)
        return None if before is None else {
            "number": record.number, "before": before, "time": record.time, "author": record.author,
            "message": metadata.message(data, record.number)}

    def judge_broken(self, broken):
        """A file without a whole commit."""
        for _ in broken:
            self.add("BLCK-012", "a damaged commit")
        if len(broken) == 64 or not broken and self.header_is_sound:
            self.add("BLCK-010", "there is no whole commit")

    def judge_tail(self, newest):
        if any(self.data[newest.end:]):
            self.add("BLCK-011", "bytes lie behind the last whole commit")
        offsets = [slot.trailer_offset for slot in self.named]
        if offsets and "damaged" not in self.slots and newest.offset not in offsets and not newest.is_acknowledged:
            self.add("BLCK-026", "nothing acknowledges the last commit")

    def judge_damage(self, newest, broken):
        """4.3.3: a damaged commit behind the newest one that stands."""
        named = self.named
        if named and named[0].trailer_offset > newest.offset:
            return self.add("BLCK-025", "a slot names a commit that is not whole")
        if self.acknowledges_lost_commit(newest):
            return self.add("BLCK-025", "a commit that is not whole was acknowledged")
        if named and "damaged" not in self.slots and len(self.data) < named[0].file_count:
            return self.add("BLCK-025", "the end of the file was cut off")
        if named and "damaged" not in self.slots:
            return None
        for _ in broken:
            self.add("BLCK-012", "a damaged commit")
        if broken:
            return None
        for place in range(newest.end, len(self.data) - TRAILER + 1, 8):
            part = self.data[place:place + 24]
            signs = (part[:4] == b"QEND", part[8:16] == self.data[32:40], part[16:24] == struct.pack("<Q", place))
            if sum(signs) >= 2:
                return self.add("BLCK-012", "a damaged commit")
        return None

    def acknowledges_lost_commit(self, newest):
        """4.3.3: whether an acknowledgement lies behind the newest commit that stands, of whatever trailer."""
        place = self.data.find(b"QACK", newest.end)
        while place >= 0:
            if place % 8 == 0 and self.data[place:place + 8] == acknowledgement(self.salt, place - 40):
                return True
            place = self.data.find(b"QACK", place + 1)
        return False

    # --- 4.4

    def walk(self, trailer):
        """Judges every commit from one back to the first."""
        newer = None
        while True:
            record = self.judge_commit(trailer, newer)
            if record is None:
                return
            self.commits.append((trailer, record))
            if record.previous == 0:
                return self.judge_gap(self.header_end, record)
            before = self.commit_before(record)
            if before is None:
                return
            self.judge_gap(before.end, record)
            older = self.record(before)
            if older is not None:
                self.judge_model_change(record, older)
            newer, trailer = record, before

    def judge_gap(self, end, record):
        if record.start >= end + 8:
            self.add("BLCK-022", "bytes before a commit belong to none")

    def judge_model_change(self, record, older):
        """4.6.4"""
        if any(record.references[name] != older.references[name] for name in ("model", "schema")):
            is_possible = older.number < record.schema_number <= record.number
        else:
            is_possible = record.schema_number == older.schema_number
        if not is_possible:
            self.add("BLCK-024", f"commit {record.schema_number} is said to have set the model")

    def commit_before(self, record):
        offset, trailer = record.previous, None
        if offset % 8 == 0 and FILE_HEADER <= offset and record.start - offset >= TRAILER:
            trailer = Trailer.read(self.data, offset, self.salt)
        if trailer is None:
            return self.add("BLCK-013", "the commit before does not end where the record says")
        if not self.record_is_whole(trailer):
            return self.add("BLCK-014", "a record's checksum")
        return trailer

    def judge_commit(self, trailer, newer):
        data = self.data[trailer.record_offset:trailer.record_offset + trailer.record_count]
        if data[:4] != b"QCMT":
            return self.add("BLCK-030", "a record does not begin as one")
        try:
            record = Record(data)
        except Refused as refused:
            return self.add("BLCK-031", str(refused))
        if record.excess:
            return self.add("BLCK-031", "bytes follow the record's last part")
        self.judge_frame(trailer, record, newer)
        self.judge_record(trailer, record)
        if not record.starts_in_place(trailer.record_offset):
            return self.add("BLCK-018", "a commit begins elsewhere")
        return record

    def judge_frame(self, trailer, record, newer):
        count = trailer.offset - min(record.start, trailer.offset)
        if trailer.flags:
            if trailer.commit_checksum:
                self.add("BLCK-017", "a settled commit has a checksum")
        elif count > UNSETTLED:
            self.add("BLCK-016", "a large commit is not settled")
        elif newer is not None and not self.bytes_are_whole(trailer, record.start):
            self.add("BLCK-015", "a commit's checksum")
        if any(trailer.acknowledgement) and not trailer.is_acknowledged:
            self.add("BLCK-027", "an acknowledgement is damaged")
        if not 1 <= record.number <= (newer.number if newer else HIGHEST_COMMIT):
            self.add("BLCK-020", f"a commit has the number {record.number}")

    def judge_record(self, trailer, record):
        if any(record.reserved):
            self.add("BLCK-004", "reserved bytes of a record")
        self.part("trailer", trailer.offset, TRAILER)
        self.part("record", trailer.record_offset, trailer.record_count)
        for name, (offset, count, checksum) in record.references.items():
            if not lies_in_place(offset, count, trailer.record_offset):
                self.add("BLCK-032", f"the {name} lies elsewhere")
                continue
            part = self.part(name, offset, count)
            part.checksums.append(checksum) if checksum not in part.checksums else None
        ranges = [one[:2] for one in record.references.values()]
        if len(set(ranges)) < 3:
            self.add("BLCK-037", "a record refers to one section twice")
        last = 0
        for entity, key in record.next_keys:
            if entity <= last or not 1 <= key <= 1 << 48:
                self.add("BLCK-035", f"the next key of entity {entity}")
            last = max(last, entity)
        if not 1 <= record.schema_number <= max(1, record.number):
            self.add("BLCK-023", "the number of the commit that set the model")
        live = FILE_HEADER + TRAILER + trailer.record_count + sum(count for _, count, _ in record.references.values())
        live += sum(segment.byte_count for segment in record.segments)
        if live & 0xFFFFFFFFFFFFFFFF != record.live:
            self.add("BLCK-034", f"{record.live} live bytes")

    def judge_slots(self):
        if not self.commits or self.commits[-1][1].previous:
            return
        offsets = {trailer.offset for trailer, _ in self.commits}
        for slot in self.named:
            if slot.trailer_offset <= self.commits[0][0].offset and slot.trailer_offset not in offsets:
                self.add("BLCK-006", "a slot names no commit")

    def mark_shared(self):
        """4.4.4: the parts that begin within another."""
        last = None
        for part in sorted(self.parts.values(), key=lambda one: (one.start, -one.end)):
            if part.start == part.end:
                continue
            part.is_shared = last is not None and part.start < last.end
            if not part.is_shared:
                last = part

    def ordered_parts(self):
        return sorted(self.parts.values(), key=lambda one: (one.start, -one.end))

    # --- 4.6

    def judge_sections(self):
        newest = self.commits[0][1] if self.commits else None
        for part in self.ordered_parts():
            if not part.checksums or part.is_shared or part.kind == "page":
                continue
            data = self.data[part.start:part.end]
            if any(checksum != crc32c(data) for checksum in part.checksums):
                self.add("BLCK-033", f"the checksum of the {part.kind}")
                continue
            is_newest = newest is not None and part.start == newest.references[part.kind][0]
            if part.kind == "metadata":
                found = metadata.judge(data, self.data[16:32], self.is_compressed_flag(), self.report)
                self.metadata = found if is_newest else self.metadata
            elif part.kind == "model":
                self.models[part.start] = self.judge_model(data)
                self.model = self.models[part.start] if is_newest else self.model
            else:
                try:
                    self.schemas[part.start] = schemas.Schema(data)
                    self.index_numbers |= set(self.schemas[part.start].indexes)
                except Refused as refused:
                    self.add("MODL-003", str(refused))
                self.schema = self.schemas.get(part.start) if is_newest else self.schema

    def is_compressed_flag(self):
        return bool(self.data[12] & 1)

    def judge_model(self, data):
        try:
            return models.Model(data)
        except Refused as refused:
            self.add(refused.rule_of_model, str(refused))
            return None

    # --- 4.5

    def judge_segments(self):
        for trailer, record in self.commits:
            limit = trailer.record_offset
            for index, segment in enumerate(record.segments):
                if segment.key not in self.summaries:
                    self.summaries[segment.key] = self.judge_segment(segment, limit)
                summary = self.summaries[segment.key]
                if index == 0 and not summary.has_only_puts:
                    self.add("BLCK-046", "the lowest segment has changes or removals")
                if summary.end > limit and summary.is_sound:
                    self.add("BLCK-050", "a block lies behind its record")
                if summary.version > record.number:
                    self.add("BLCK-055", "rows have a version above their commit's number")

    def judge_segment(self, segment, limit):
        summary = Summary()
        if segment.entries:
            if len(segment.entries) > 16:
                self.add("BLCK-040", "more than 16 blocks are not in pages")
            self.judge_entries(segment.entries, limit, summary)
        for page in segment.pages:
            found = self.judge_page(page, limit)
            if summary.last and found.first and summary.is_sound and found.is_sound and not summary.last.precedes(found.first):
                self.add("BLCK-043", "a page begins before the one before it ends")
            summary.add_page(found)
            summary.byte_count += page.byte_count
        if summary.is_sound and summary.rows != segment.rows:
            self.add("BLCK-044", f"a segment says {segment.rows} rows and has {summary.rows}")
        if summary.is_sound and summary.byte_count != segment.byte_count:
            self.add("BLCK-045", f"a segment says {segment.byte_count} bytes and has {summary.byte_count}")
        return summary

    def judge_page(self, page, limit):
        unsound = Summary()
        unsound.is_sound = False
        if not lies_in_place(page.offset, page.byte_count, limit):
            self.add("BLCK-032", "a page lies elsewhere")
            return unsound
        part = self.part("page", page.offset, page.byte_count)
        part.checksums.append(page.checksum) if page.checksum not in part.checksums else None
        if not page.has_possible_count:
            self.add("BLCK-041", f"a page of {page.byte_count} bytes has {page.count} entries")
            return unsound
        key = page.offset, page.byte_count, page.checksum
        if key not in self.pages:
            data = self.data[page.offset:page.offset + page.byte_count]
            if crc32c(data) != page.checksum:
                self.add("BLCK-033", "a page's checksum")
                self.pages[key] = unsound
            else:
                entries = [Entry(struct.unpack_from("<" + ENTRY, data, 56 * index)) for index in range(page.count)]
                self.pages[key] = Summary()
                self.judge_entries(entries, limit, self.pages[key])
        summary = self.pages[key]
        if summary.is_sound and summary.first.place != page.first:
            self.add("BLCK-042", "a page begins with another block")
        return summary

    def judge_entries(self, entries, limit, summary):
        for entry in entries:
            if self.judge_entry(entry, limit):
                part = self.part("block", entry.offset, entry.byte_count)
                part.entries[entry.key] = entry
            else:
                summary.is_sound = False
            if summary.last and summary.is_sound and not summary.last.precedes(entry):
                self.add("BLCK-043", "entries are out of order")
            summary.add(entry, entry.entity in self.index_numbers)

    def judge_entry(self, entry, limit):
        before = self.report.error_count
        if not entry.lies_before(limit):
            self.add("BLCK-050", "a block lies elsewhere")
            return False
        if entry.run > 2:
            self.add("BLCK-051", f"the run {entry.run}")
        if entry.codec > 1:
            self.add("BLCK-052", f"the codec {entry.codec}")
        elif entry.block_count > LARGEST or (
                entry.block_count > most_bytes(entry.byte_count) if entry.codec else entry.block_count != entry.byte_count):
            self.add("BLCK-053", f"{entry.byte_count} bytes are said to be a block of {entry.block_count}")
        if entry.outside_count > entry.offset:
            self.add("BLCK-058", "more bytes outside than lie before the block")
        if not (entry.rows >= 1 and 1 <= entry.minimum <= entry.maximum <= HIGHEST_KEY and entry.entity >= 1):
            self.add("BLCK-054", "an entry's rows, keys or entity")
        if entry.version < 0:
            self.add("BLCK-055", "the version of an entry")
        return self.report.error_count == before

    def judge_blocks(self):
        newest = self.commits[0][1].number if self.commits else HIGHEST_COMMIT
        for part in self.ordered_parts():
            if part.entries and not part.is_shared:
                entry = next(iter(part.entries.values()))
                before = self.report.error_count
                block = self.judge_block(entry, newest)
                if self.report.error_count == before and len(part.entries) == 1:
                    self.blocks[entry.key] = block

    def judge_block(self, entry, newest):
        before = self.report.error_count
        data, is_whole = self.data[entry.offset:entry.offset + entry.byte_count], True
        if entry.codec:
            data = expanded(data, entry.block_count)
            if data is None:
                return self.add("BLCK-056", "a block does not expand")
            turned = untransposed(data)
            is_whole, data = turned is not None, turned or data
        block = Block(data, self.report)
        columns = []
        if block.read_header() and self.judge_agreement(block, entry):
            columns = block.read_directory()
            if is_whole:
                block.read_columns(columns, max(1, entry.version or newest), entry.offset)
            if (entry.version == 0 and entry.entity not in self.index_numbers
                    and VERSION not in [column.number for column in columns]):
                self.add("BLCK-055", "rows without a version")
        if not is_whole and self.report.error_count == before:
            self.add("BLCK-056", "a block's numbers can't be put together")
        self.judge_numbers(columns, entry)
        outside = sum(reference.stored_count for reference in block.references)
        if self.report.error_count == before and outside != entry.outside_count:
            self.add("BLCK-058", f"values outside of {outside} bytes, and the entry says {entry.outside_count}")
        for reference in block.references:
            part = self.part("value", reference.offset, reference.stored_count)
            part.references[reference.key] = reference
        return block

    def judge_agreement(self, block, entry):
        if (block.entity, block.block_count, block.rows, block.minimum, block.maximum, block.flags) == (
                entry.entity, entry.block_count, entry.rows, entry.minimum, entry.maximum, entry.run):
            return True
        self.add("BLCK-057", "a block's header says something else than its entry")
        return False

    def judge_numbers(self, columns, entry):
        """3.2.1, 3.6 and 4.5.6"""
        schema = self.schema
        if schema is None:
            return
        if entry.entity > schema.highest_entity:
            return self.add("MODL-008", f"rows of entity {entry.entity}")
        if entry.entity in schema.indexes:
            entity, wanted = schema.indexes[entry.entity]
            kinds = {column.number: column.kind for column in columns}
            if OBJECT not in kinds:
                self.add("INDX-002", "entries of no objects")
            for number in wanted:
                if kinds.get(number) != schema.layouts[entity].by_number[number].kind:
                    self.add("INDX-002", f"entries lack column {number}")
            return None
        layout = schema.layouts.get(entry.entity)
        if entry.entity in self.index_numbers or layout is None:
            return None
        root = None
        if self.model and layout.name in self.model.entities:
            root = schema.by_name.get(self.model.line(self.model.entities[layout.name])[-1].name)
        for column in columns:
            if column.number > 61439:
                continue
            if root is not None and column.number > schema.highest.get(root.number, 0):
                self.add("MODL-008", f"column {column.number}")
            known = layout.by_number.get(column.number)
            if known is not None and not schemas.widens(column.kind, known.kind):
                self.add("MODL-009", f"column {column.number} of '{layout.name}' is of kind {column.kind}")
        return None

    def judge_values(self):
        """3.4.9"""
        for part in self.ordered_parts():
            if part.is_shared or not part.references:
                continue
            reference, data = next(iter(part.references.values())), self.data[part.start:part.end]
            if crc32c(data) != reference.checksum:
                self.add("BLCK-091", "the checksum of a value outside")
            elif reference.codec and expanded(data, reference.byte_count) is None:
                self.add("BLCK-092", "a value outside does not expand")

    def judge_places(self):
        """4.1.1 and 4.4.4"""
        for part in self.parts.values():
            if part.is_shared:
                self.add("BLCK-037", f"a part of kind {part.kind} begins within another")
            if len(part.entries) > 1 or len(part.references) > 1:
                self.add("BLCK-037", "two that refer to a part do not say the same")
        end = 0
        for part in self.ordered_parts():
            if part.start == part.end:
                continue
            if end < part.start < end + 8 and any(self.data[end:part.start]):
                self.add("BLCK-021", f"bytes before a part of kind {part.kind}")
            end = max(end, part.end)

    def judge(self):
        """Judges the whole file, and returns whether its objects were looked at."""
        if not self.read_header():
            return self
        shown = self.find_shown()
        if shown is None:
            return self
        self.part("header", 0, FILE_HEADER)
        self.walk(shown)
        self.judge_slots()
        self.mark_shared()
        self.judge_sections()
        self.judge_segments()
        self.mark_shared()
        self.judge_blocks()
        self.mark_shared()
        self.judge_values()
        self.judge_places()
        newest = self.record(shown)
        if newest is not None:
            if self.model and self.metadata is not None:
                metadata.judge_hashes(self.metadata, self.model, self.report)
            if self.model:
                metadata.judge_oddities(self.model, self.report)
            if self.model and self.schema:
                schemas.judge(self.schema, self.model, self.report)
            self.judge_objects(newest)
            self.judge_earlier_schemas()
        return self

    def judge_earlier_schemas(self):
        seen = set()
        for _, record in self.commits[1:]:
            places = record.references["model"][0], record.references["schema"][0]
            if record.references["schema"] == self.commits[0][1].references["schema"] or places in seen:
                continue
            seen.add(places)
            if self.models.get(places[0]) and places[1] in self.schemas:
                schemas.judge(self.schemas[places[1]], self.models[places[0]], self.report)

    def segments(self, record):
        """The segments of a commit, the lowest first; None where one can't be told."""
        listed, found = set(), []
        for segment in record.segments:
            summary = self.summaries.get(segment.key)
            if summary is None or not summary.is_sound:
                return None
            for entry in summary.entries:
                if entry.key in listed:
                    return self.add("BLCK-037", "a commit lists a block twice")
                listed.add(entry.key)
            found.append(Segment(self, summary.entries, segment.highest_index))
        return found

    def judge_objects(self, record):
        segments = self.segments(record)
        if segments is None:
            return
        if "BLCK-035" not in self.report.rules:
            self.judge_next_keys(segments, record)
        rules = self.report.rules
        if "BLCK-046" in rules or not self.model or not self.schema or any(
                rule.startswith("MODL") and rule != "MODL-012" for rule in rules):
            return
        graph = Graph(segments, self.model, self.schema, self.report)
        graph.judge()
        judge_indexes(segments, graph, self.report)

    def judge_next_keys(self, segments, record):
        """4.4.3"""
        highest, next_keys = {}, dict(record.next_keys)
        lanes = metadata.Lanes(self.metadata or {})
        first, end = lanes.counted()
        for segment in segments:
            for entry in segment.entries:
                if entry.run == 0 and entry.entity not in self.index_numbers:
                    for key in (entry.minimum, entry.maximum):
                        if first <= key < end:
                            highest[entry.entity] = max(highest.get(entry.entity, 0), key)
        for entity, key in highest.items():
            if key >= lanes.first_free(next_keys.get(entity)):
                self.add("BLCK-036", f"an object of entity {entity} has the key {key}")

    # --- Reading

    def section(self, name):
        """The bytes of the model, the schema or the metadata of the newest commit."""
        if not self.read_header() or self.report.error_count:
            raise Refused("4.2", self.report.findings[0][1])
        trailer = self.find_shown()
        record = trailer and self.record(trailer)
        if record is None or self.report.error_count:
            raise Refused("4.3.3", "there is no whole commit")
        offset, count, checksum = record.references[name]
        data = self.data[offset:offset + count]
        if crc32c(data) != checksum:
            raise Refused("4.4.2", f"the checksum of the {name}")
        return data

    def objects(self):
        """The objects of the newest commit, once the file was judged."""
        errors = [(rule, message) for rule, message in self.report.findings
                  if SEVERITIES[rule] == "error" and not rule.startswith(UNREAD)]
        if errors or not self.model or not self.schema:
            raise Refused("6.4.1", f"{errors[0][0]}: {errors[0][1]}" if errors else "the model or the schema can't be read")
        return Graph(self.segments(self.commits[0][1]), self.model, self.schema, self.report)
