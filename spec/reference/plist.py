"""Binary property lists and keyed archives (11)."""

import base64
import struct

from findings import Refused


def bytes_of_base64(text):
    """5.4.5: the bytes of a text without white space; None if it is not the text of any bytes."""
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return data if base64.b64encode(data).decode() == text else None


class UID(int):
    """The number of an object of a keyed archive (11.3.1)."""


class Date(float):
    """Seconds since 2001-01-01 (1.4)."""


class Real(float):
    pass


def require(condition, clause, message):
    if not condition:
        raise Refused(clause, message)


class BinaryList:
    """11.1"""

    def __init__(self, data):
        require(len(data) >= 40 and data[:6] == b"bplist", "11.1.1", "the bytes are not a binary property list")
        self.data = data
        trailer = len(data) - 32
        self.offset_count, self.reference_count, self.count, self.top, self.table = struct.unpack_from(
            ">BBQQQ", data, trailer + 6)
        require(1 <= self.offset_count <= 8 and 1 <= self.reference_count <= 8, "11.1.1", "a width is not 1 to 8")
        require(1 <= self.count <= len(data) and self.top < self.count and 8 <= self.table <= trailer
                and self.count * self.offset_count <= trailer - self.table, "11.1.1", "the offset table does not fit")
        self.open, self.values = set(), 0

    def number(self, place, count):
        require(0 <= place <= self.table - count, "11.1.2", "an object ends early")
        return int.from_bytes(self.data[place:place + count], "big")

    def value(self, index, depth=0):
        require(depth <= 256, "11.1.3", "the objects are too deep")
        self.values += 1
        require(self.values <= max(2_000_000, len(self.data)), "11.1.3", "the list unfolds into too many values")
        place = self.table + index * self.offset_count
        place = int.from_bytes(self.data[place:place + self.offset_count], "big")
        require(8 <= place < self.table, "11.1.1", "an offset leads out of the objects")
        marker = self.data[place]
        kind, low = marker >> 4, marker & 15
        if marker in (0x00, 0x08, 0x09):
            return {0x00: None, 0x08: False, 0x09: True}[marker]
        if kind == 1 and low <= 4:
            return self.integer(place + 1, 1 << low)
        if marker in (0x22, 0x23):
            width = 1 << low
            return Real(struct.unpack(">f" if width == 4 else ">d", self.number(place + 1, width).to_bytes(width, "big"))[0])
        if marker == 0x33:
            return Date(struct.unpack(">d", self.number(place + 1, 8).to_bytes(8, "big"))[0])
        if kind == 8:
            return UID(self.number(place + 1, min(low + 1, 8)))
        if kind in (4, 5):
            start, count = self.extent(place, low, 1)
            content = self.data[start:start + count]
            return bytes(content) if kind == 4 else content.decode("utf-8", "replace")
        if kind == 6:
            start, count = self.extent(place, low, 2)
            return self.data[start:start + 2 * count].decode("utf-16-be", "replace")
        require(kind in (0xA, 0xB, 0xC, 0xD), "11.1.2", f"the marker {marker:02x} is not known")
        require(index not in self.open, "11.1.3", "an object contains itself")
        self.open.add(index)
        start, count = self.extent(place, low, self.reference_count * (2 if kind == 0xD else 1))
        if kind == 0xD:
            result = {}
            for position in range(count):
                key = self.member(start, position, depth)
                require(isinstance(key, str), "11.1.2", "a key is not text")
                result[key] = self.member(start, count + position, depth)
        else:
            result = [self.member(start, position, depth) for position in range(count)]
        self.open.remove(index)
        return result

    def integer(self, place, width):
        value = self.number(place, 8) << 64 | self.number(place + 8, 8) if width == 16 else self.number(place, width)
        if width == 16:
            value -= (1 << 128) * (value >> 127)
            require(-1 << 63 <= value < 1 << 64, "11.1.2", "an integer has more than 64 bits")
        elif width == 8 and value >> 63:
            value -= 1 << 64
        return value

    def extent(self, place, low, unit):
        start, count = place + 1, low
        if low == 15:
            marker = self.number(start, 1)
            require(marker >> 4 == 1 and marker & 15 <= 3, "11.1.2", "a count is not an integer")
            width = 1 << (marker & 15)
            count = self.number(start + 1, width)
            start += 1 + width
        require(start <= self.table and count <= (self.table - start) // unit, "11.1.2", "an object has more parts than bytes")
        return start, count

    def member(self, start, position, depth):
        reference = self.number(start + position * self.reference_count, self.reference_count)
        require(reference < self.count, "11.1.2", "a reference leads to no object")
        return self.value(reference, depth + 1)


def read(data):
    """Returns the value of a binary property list."""
    reader = BinaryList(data)
    return reader.value(reader.top)


class Archive:
    """A keyed archive (11.3). Objects are dictionaries of fields; `get` follows a UID."""

    def __init__(self, data):
        values = read(data)
        require(isinstance(values, dict) and isinstance(values.get("$archiver"), str)
                and isinstance(values.get("$objects"), list) and isinstance(values.get("$top"), dict),
                "11.3.1", "the property list is not a keyed archive")
        self.objects = values["$objects"]
        root = values["$top"].get("root", next(iter(values["$top"].values()), None))
        require(isinstance(root, UID) and root < len(self.objects), "11.3.1", "the archive has no root")
        self.root = self.objects[root]

    def follow(self, value):
        if isinstance(value, UID):
            return self.objects[value] if 0 < value < len(self.objects) else None
        return value

    def get(self, owner, field):
        return self.follow(owner.get(field)) if isinstance(owner, dict) else None

    def class_names(self, owner):
        description = self.get(owner, "$class")
        return description.get("$classes", []) if isinstance(description, dict) else []

    def text(self, value):
        if isinstance(value, dict):
            inner = self.get(value, "NS.string")
            return inner if inner is not None else (self.get(value, "NS.bytes") or b"").decode("utf-8", "replace")
        return value if isinstance(value, str) else None

    def items(self, value):
        """The members of an array, a set or an ordered set."""
        if isinstance(value, list):
            return [self.follow(one) for one in value]
        if not isinstance(value, dict):
            return []
        if "NS.objects" in value and "NS.keys" not in value:
            return [self.follow(one) for one in value["NS.objects"]]
        found = []
        while f"NS.object.{len(found)}" in value:
            found.append(self.get(value, f"NS.object.{len(found)}"))
        return found

    def members(self, value):
        """The members of a dictionary by their keys."""
        if not isinstance(value, dict):
            return {}
        if "NS.keys" in value:
            keys = [self.follow(one) for one in value["NS.keys"]]
            values = [self.follow(one) for one in value["NS.objects"]]
        else:
            mapping = self.get(value, "NSKnownKeysMappingStrategy1") or self.get(value, "searchMapping")
            keys = self.items(self.get(mapping, "keys")) if mapping else []
            values = self.items(self.get(value, "values"))
        return {self.text(key): one for key, one in zip(keys, values) if self.text(key) is not None}
