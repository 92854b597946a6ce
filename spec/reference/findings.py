"""What all parts of the reader share: reports (6), checksums (3.8) and numbers (1.3)."""

import os
import re
import struct

PAGES = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))


class Refused(Exception):
    """Something that a reader must refuse."""

    def __init__(self, clause, message):
        super().__init__(f"{message} (spec §{clause})")
        self.clause = clause

    @property
    def rule_of_model(self):
        """The rule that a model in a store breaks: it is not valid, or it can't be read."""
        is_fault = self.clause.startswith("2.2.") or self.clause == "2.6.8" and "inverse entity" in str(self)
        return "MODL-002" if is_fault else "MODL-001"


def severities():
    """Returns the severity of each rule, as clause 6.4.1 lists them."""
    with open(os.path.join(PAGES, "6-validation.md"), encoding="utf-8") as page:
        return dict(re.findall(r"^\| ([A-Z]{4}-\d{3}) \| (error|warning|information) \|", page.read(), re.MULTILINE))


SEVERITIES = severities()


class Report:
    """The findings about one file or document, and the verdict (6.2.6, 6.2.8)."""

    def __init__(self):
        self.findings = []
        self.unchecked = []
        self.format = "known"
        self.error_count = 0

    def add(self, rule, message):
        self.findings.append((rule, message))
        self.error_count += SEVERITIES[rule] == "error"

    @property
    def rules(self):
        return {rule for rule, _ in self.findings}

    @property
    def verdict(self):
        if self.format != "known":
            return self.format
        errors = [rule for rule, _ in self.findings if SEVERITIES[rule] == "error"]
        if not errors:
            return "incomplete" if self.unchecked else "valid"
        return "newerFormat" if set(errors) == {"FILE-002"} else "invalid"

    def take(self, other, where=lambda rule: True):
        """Takes over the findings about a file of the document."""
        for rule, message in other.findings:
            if where(rule):
                self.add(rule, message)
        self.unchecked += other.unchecked


def table():
    entries = []
    for index in range(256):
        for _ in range(8):
            index = index >> 1 ^ 0x82F63B78 if index & 1 else index >> 1
        entries.append(index)
    return entries


TABLE = table()


def crc32c(data):
    value, lookup = 0xFFFFFFFF, TABLE
    for byte in data:
        value = lookup[(value ^ byte) & 0xFF] ^ value >> 8
    return value ^ 0xFFFFFFFF


def align(count):
    return count + 7 & ~7


def signed(value):
    value &= 0xFFFFFFFFFFFFFFFF
    return value - (1 << 64) if value >> 63 else value


def bit(bitmap, row):
    return bitmap[row >> 3] >> (row & 7) & 1


def is_feature(name):
    """1.8: whether a feature may have the name."""
    return re.fullmatch(r"[a-z0-9-]{1,32}", name) is not None


class Bytes:
    """Little-endian fields, one after the other. It raises `Refused` where the bytes end."""

    def __init__(self, data, clause, place=0):
        self.data, self.clause, self.place = data, clause, place

    @property
    def rest(self):
        return len(self.data) - self.place

    def take(self, form):
        form = "<" + form
        if struct.calcsize(form) > self.rest:
            raise Refused(self.clause, "the bytes end too early")
        values = struct.unpack_from(form, self.data, self.place)
        self.place += struct.calcsize(form)
        return values if len(values) != 1 else values[0]

    def bytes(self, count):
        if count > self.rest:
            raise Refused(self.clause, "the bytes end too early")
        self.place += count
        return self.data[self.place - count:self.place]

    def text(self, count):
        try:
            return self.bytes(count).decode("utf-8")
        except UnicodeDecodeError:
            raise Refused(self.clause, "a text is not UTF-8") from None
