"""Packed documents (8)."""

import struct
import unicodedata
import zlib

from block import most_bytes
from findings import Refused

TYPE = b"application/vnd.quire.document+zip"


def require(condition, clause, message):
    if not condition:
        raise Refused(clause, message)


def is_packed(data):
    """8.2.1: whether a file is a packed document."""
    if starts_with_type(data):
        return True
    try:
        archive = Archive(data) if data[:4] == b"PK\3\4" else None
    except Refused:
        return False
    return archive is not None and (archive.has_type or "manifest.json" in archive.contents)


def starts_with_type(data):
    """Whether the first bytes are those of a packed document that Quire wrote."""
    return data[:4] == b"PK\3\4" and len(data) >= 72 and data[30:38] == b"mimetype" and data[38:72] == TYPE and (
        int.from_bytes(data[18:20], "little") == len(TYPE))


def fold(path):
    """8.4.2: names that are equal then are one name on some system."""
    upper = "".join(character.upper() for character in path)
    return unicodedata.normalize("NFC", "".join(character.lower() for character in upper))


class Entry:
    """An entry as the directory lists it (8.3.5)."""

    def __init__(self, data, place):
        require(data[place:place + 4] == b"PK\1\2" and place + 46 <= len(data), "8.5.1", "the directory has no entry there")
        (made, needed, self.flags, self.method, _, _, self.checksum, packed, size, name_count, extra_count, comment_count,
         disk, _, external, offset) = struct.unpack_from("<HHHHHHIIIHHHHHII", data, place + 4)
        start = place + 46
        self.end = start + name_count + extra_count + comment_count
        require(self.end <= len(data), "8.5.1", "an entry goes on behind the directory")
        self.name = data[start:start + name_count]
        require(len(self.name) <= 1024, "8.4.1", "a name is too long")
        try:
            path = self.name.decode("utf-8")
        except UnicodeDecodeError:
            raise Refused("8.4.1", "a name is not UTF-8") from None
        self.is_folder = path.endswith("/")
        self.path = path[:-1] if self.is_folder else path
        require(not self.flags & 1, "8.5.1", "an entry is encrypted")
        require(not self.flags & ~0b100000001110, "8.5.1", "an entry has unknown flags")
        require(self.method in (0, 8) and needed & 255 <= 45, "8.5.1", "an entry's method or version")
        require(disk in (0, 0xFFFF), "8.5.1", "an entry is in another part")
        if made >> 8 == 3:
            mode = external >> 16 & 0o170000
            require(mode in (0, 0o040000 if self.is_folder else 0o100000), "8.5.1", "an entry is neither a file nor a folder")
        self.size, self.packed, self.offset = large([size, packed, offset], data[start + name_count:start + name_count + extra_count])
        require(not self.is_folder or not self.size and self.packed <= 64, "8.2.2", "a folder has bytes")
        require(self.method == 8 or self.packed == self.size, "8.5.1", "a stored entry has two sizes")
        require(self.size <= most_bytes(self.packed), "8.5.1", "an entry can't expand so far")


def large(values, extra):
    """8.3.6"""
    place, field = 0, None
    while place + 4 <= len(extra):
        kind, count = struct.unpack_from("<HH", extra, place)
        end = place + 4 + count
        require(end <= len(extra), "8.5.1", "an extra field goes on behind its end")
        if kind == 1:
            require(field is None, "8.5.1", "an extra field is there twice")
            field = extra[place + 4:end]
        place = end
    if field is None:
        return values
    found = []
    for value in values:
        if value == 0xFFFFFFFF:
            require(len(field) >= 8, "8.5.1", "an extra field is too short")
            value, field = int.from_bytes(field[:8], "little"), field[8:]
        found.append(value)
    return found


class Archive:
    """The files of a packed document, once all of it was checked (8.5). `damaged` names the entries that can't be unpacked."""

    def __init__(self, data):
        self.data, self.contents, self.folders, self.damaged = data, {}, {""}, []
        self.has_type = False
        start, end, count = self.find_directory()
        entries, place = [], start
        for _ in range(count):
            entries.append(Entry(data[:end], place))
            place = entries[-1].end
        require(place == end, "8.5.1", "the directory goes on behind its entries")
        self.check_names(entries)
        require(sum(entry.size for entry in entries) <= (1 << 30) + 100 * len(data), "8.5.2", "the entries have too many bytes")
        last = 0
        for entry in sorted(entries, key=lambda one: one.offset):
            require(entry.offset >= last, "8.5.1", "entries share bytes")
            last = self.check_header(entry, start)
        for entry in entries:
            self.take(entry)

    def find_directory(self):
        """8.3.7"""
        data = self.data
        require(len(data) >= 22 and data[-22:-18] == b"PK\5\6" and data[-2:] == b"\0\0", "8.3.7", "the file ends otherwise")
        disk, first_disk, here, count, size, offset, _ = struct.unpack_from("<HHHHIIH", data, len(data) - 18)
        end = len(data) - 22
        locator = end - 20
        if 0xFFFF in (here, count, disk, first_disk) or 0xFFFFFFFF in (size, offset):
            if locator >= 56 and data[locator:locator + 4] == b"PK\6\7":
                here, count, size, offset = self.large_end(locator, (disk, first_disk), (here, count, size, offset))
                end = locator - 56
                disk = first_disk = 0
        require(disk == first_disk == 0 and here == count, "8.5.1", "the archive is one of several parts")
        require(offset <= end and size == end - offset and count <= size // 46, "8.5.1", "the directory lies elsewhere")
        return offset, end, count

    def large_end(self, locator, disks, short):
        data, start = self.data, locator - 56
        signature, size, _, _, disk, first_disk, *values = struct.unpack_from("<4sQHHIIQQQQ", data, start)
        own_disk, place, total = struct.unpack_from("<IQI", data, locator + 4)
        require(own_disk == disk == first_disk == 0 and total <= 1, "8.5.1", "the archive is one of several parts")
        require(place == start and signature == b"PK\6\6" and size == 44, "8.5.1", "the large end record lies elsewhere")
        limits = (0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF)
        require(all(one in (limit, value) for one, limit, value in zip(short, limits, values))
                and all(one in (0, 0xFFFF) for one in disks), "8.5.1", "the end records differ")
        return values

    def check_names(self, entries):
        """8.4"""
        known = {}
        for entry in entries:
            parts = entry.path.split("/")
            require(len(entry.path.encode()) <= 1024 and len(parts) <= 32 and all(
                part not in ("", ".", "..") and len(part.encode()) <= 255 for part in parts), "8.4.1", f"the name '{entry.path}'")
            require(not any(ord(one) < 32 or 127 <= ord(one) < 160 or one in "\\\ufffd" for one in entry.path)
                    and not (entry.path[:1].isascii() and entry.path[:1].isalpha() and entry.path[1:2] == ":"),
                    "8.4.1", f"the name '{entry.path}'")
            for count in range(1, len(parts) + 1):
                path, is_last = "/".join(parts[:count]), count == len(parts)
                is_folder = entry.is_folder or not is_last
                other = known.setdefault(fold(path), [path, is_folder, False])
                require(other[0] == path and other[1] == is_folder and not (is_last and other[2]), "8.4.2", f"two names '{path}'")
                other[2] = other[2] or is_last

    def check_header(self, entry, limit):
        """8.3.5 and 8.5.1; returns where the entry ends."""
        data, start = self.data, entry.offset
        require(start <= limit - 30 and data[start:start + 4] == b"PK\3\4", "8.5.1", "an entry has no header")
        _, flags, method, _, _, checksum, packed, size, name_count, extra_count = struct.unpack_from("<HHHHHIIIHH", data, start + 4)
        rest = start + 30
        require(name_count == len(entry.name) and rest + name_count + extra_count <= limit
                and data[rest:rest + name_count] == entry.name, "8.5.1", "the names of an entry differ")
        require(flags == entry.flags and method == entry.method, "8.5.1", "the flags or the methods of an entry differ")
        size, packed = large([size, packed], data[rest + name_count:rest + name_count + extra_count])
        has_descriptor = bool(flags & 8)

        def agrees(own, listed):
            return own == listed or has_descriptor and own in (0, 0xFFFFFFFF)
        require(agrees(checksum, entry.checksum) and agrees(size, entry.size) and agrees(packed, entry.packed),
                "8.5.1", "a header says something else than the directory")
        entry.start = rest + name_count + extra_count
        end = entry.start + entry.packed
        require(end <= limit, "8.5.1", "an entry runs into the directory")
        if not has_descriptor:
            return end
        for signature in (b"", b"PK\7\b"):
            for form in ("<III", "<IQQ"):
                try:
                    expected = signature + struct.pack(form, entry.checksum, entry.packed, entry.size)
                except struct.error:
                    continue
                if data[end:min(end + 24, limit)].startswith(expected):
                    return end + len(expected)
        raise Refused("8.5.1", "the descriptor of an entry differs")

    def take(self, entry):
        """8.5.3"""
        data = self.data[entry.start:entry.start + entry.packed]
        if entry.method == 8:
            decoder = zlib.decompressobj(-15)
            try:
                data = decoder.decompress(data, entry.size + 1)
                is_whole = (decoder.eof or entry.is_folder) and len(data) == entry.size and not decoder.unused_data
            except zlib.error:
                is_whole = False
        else:
            is_whole = True
        is_whole = is_whole and zlib.crc32(data) == entry.checksum
        if entry.path == "mimetype":
            require(len(data) <= 256 and is_whole and data == TYPE, "8.2.1", "the type is another")
            self.has_type = True
            return
        is_hidden = any(part.startswith(".") for part in entry.path.split("/"))
        if is_hidden:
            return
        if not is_whole and not entry.is_folder:
            self.damaged.append(entry.path)
        parts = entry.path.split("/")
        for count in range(1, len(parts) + entry.is_folder):
            self.folders.add("/".join(parts[:count]))
        if not entry.is_folder:
            self.contents[entry.path] = data

    # --- The files, as `document.Folder` has them

    def kind(self, name):
        return "folder" if name in self.folders else "file" if name in self.contents else None

    def read(self, name):
        return self.contents[name]

    def list(self, name):
        start = name + "/" if name else ""
        paths = [*self.contents, *self.folders]
        return sorted({path[len(start):].split("/")[0] for path in paths if path.startswith(start) and path != name} - {""})
