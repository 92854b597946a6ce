"""The rows and the attachments of a version, to which the differences of further versions are applied (16.3)."""

import base64
import binascii
import datetime
import fractions
import math
import re
import struct
import uuid

import contents
import identity
from findings import Refused, Report
from manifest import Number
from patch import identifier, is_text, require
from schema import (
    BOOLEAN, BYTES, DATE, DECIMAL, DOUBLE, FLOAT, INT16, INT32, INT64, REFERENCE, UUID, decimal_of_text)
from xmlstore import PlainGraph

BITS = {INT16: 15, INT32: 31, INT64: 63}
# The second end of a link and its place, by the number of the column
OTHER_COLUMN = {1: 2, 2: 1, 3: 4, 4: 3}
NOT_A_NUMBER = {FLOAT: 0x7FC00000, DOUBLE: 0x7FF8 << 48, DATE: 0x7FF8 << 48}


# --- 13.2.4


def bits(number, kind):
    """The bits of a floating-point number."""
    code, form = ("<I", "<f") if kind == FLOAT else ("<Q", "<d")
    return struct.unpack(code, struct.pack(form, number))[0]


def special(text, kind):
    """The bits of a text for no number or infinity; None for another text."""
    found = re.fullmatch(r"nan:([0-9a-f]{1,16})", text, re.ASCII)
    if found:
        return int(found.group(1), 16)
    return NOT_A_NUMBER[kind] if text == "nan" else bits(float(text), kind) if text in ("inf", "-inf") else None


def date(text):
    """The seconds since 2001 of a date as ISO 8601 writes it."""
    found = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?Z", text, re.ASCII)
    if found is None:
        raise ValueError(text)
    seconds = (datetime.datetime.fromisoformat(found.group(1)) - datetime.datetime(2001, 1, 1)) // datetime.timedelta(seconds=1)
    return float(seconds + fractions.Fraction("0" + (found.group(2) or ".0")))


def real(value, kind):
    """The bits of a floating-point number or of a date."""
    if kind == DATE and not value.startswith("@"):
        return bits(date(value), kind)
    text = value.removeprefix("@") if kind == DATE else value
    found = special(text, kind) if kind == DATE or not isinstance(value, Number) else None
    if found is not None:
        return found
    if kind != DATE and not isinstance(value, Number) or not math.isfinite(float(text)):
        raise ValueError(value)
    return bits(float(text), kind)


def whole(value, kind):
    if not isinstance(value, Number) or not re.fullmatch(r"-?[0-9]{1,19}", value, re.ASCII) or not (
            -1 << BITS[kind] <= int(value) < 1 << BITS[kind]):
        raise ValueError(value)
    return int(value)


def text_value(text, kind):
    """A value that is written as a text."""
    if not is_text(text):
        raise ValueError(text)
    if kind == REFERENCE:
        entity, number = identifier(text)
        return entity << 48 | number
    if kind == DECIMAL:
        return "NaN" if text == "nan" else decimal_of_text(text.encode())
    if kind == UUID:
        return uuid.UUID(text).bytes
    return base64.b64decode(text, validate=True) if kind == BYTES else text.encode()


def value_of(value, kind):
    """The value that a patch writes, as the graph has it."""
    if value is None:
        return None
    try:
        if kind == BOOLEAN:
            require(isinstance(value, bool), "13.2.4", f"{value!r} is neither true nor false")
            return value
        if kind in BITS:
            return whole(value, kind)
        return real(value, kind) if kind in NOT_A_NUMBER else text_value(value, kind)
    except (ValueError, TypeError, AttributeError, OverflowError, binascii.Error):
        raise Refused("13.2.4", f"{value!r} is not a value of the property") from None


# --- Stores


class Store:
    """The rows of a store as dictionaries by the number of the column, and their sum (7.7.9)."""

    def __init__(self, graph):
        schema, self.own_inverses = graph.schema, []
        self.graph = PlainGraph({number: {} for number in schema.layouts}, graph.model, schema, Report())
        self.links = {identity.name_of(graph, table.forward): table for table in schema.tables}
        for number, layout in schema.layouts.items():
            for key, row in graph.rows[number].items():
                values = {column.number: graph.value(row, column, True) for column in layout.columns}
                row = self.in_order(number, {column: value for column, value in values.items() if value is not None})
                self.graph.rows[number][self.key(number, key, row)] = row
        self.sum = sum(map(identity.number_of, identity.row_lines(self.graph)))

    def table(self, number):
        return next((one for one in self.graph.schema.tables if one.number == number), None)

    def in_order(self, number, row):
        """A row of a relationship that is its own inverse with the lower end first, as `patch.row` has it."""
        table = self.table(number)
        if table is None or table.forward != table.backward or row[1] <= row[2]:
            return row
        return {OTHER_COLUMN[column]: value for column, value in row.items()}

    def key(self, number, key, row):
        """The key of an object, or the ends of a link, whose own key is not a part of a patch (13.3.2)."""
        return key if self.table(number) is None else (row[1], row[2])

    def place(self, name, ids):
        """The number of the table and the key of a subject, and the values that its identifiers are."""
        numbers = [identifier(one) for one in ids]
        if len(ids) == 2:
            table = self.links.get(name)
            require(table is not None, "13.3.1", f"there are no links '{name}'")
            row = {column: entity << 48 | number for column, (entity, number) in enumerate(numbers, 1)}
            return table.number, (row[1], row[2]), row
        layout, ((entity, number),) = self.graph.schema.by_name.get(name), numbers
        require(layout is not None and layout.number == entity, "13.2.1", f"the entity '{name}' has another number than {entity}")
        return entity, number, {}

    def values(self, number, side):
        """The values of one side of a change, by the number of the column."""
        layout, found = self.graph.schema.layouts[number], {}
        for name, value in side.items():
            column = layout.by_name.get(name)
            is_end = self.table(number) is not None and name in ("source", "target")
            require(column is not None and not is_end, "13.2.2", f"'{layout.name}' has no property '{name}'")
            found[column.number] = value_of(value, column.kind)
        return found

    def change(self, subject, old, new):
        """The place of a row, the row before, and the row after; None in place of a row that is not there."""
        _, name, ids = subject
        words = f"{name} {', '.join(ids)}"
        number, key, ends = self.place(name, ids)
        row = self.graph.rows[number].get(key)
        require((row is None) == (old is None), "16.3.2", f"{words} is {'not ' if row is None else ''}there")
        before = {} if row is None else row
        wanted = self.values(number, old or {})
        if new is None:
            require({**ends, **wanted} == before, "16.3.2", f"{words} has other values than those that are deleted")
            return number, key, row, None
        for column, value in wanted.items():
            require(before.get(column) == value, "16.3.2", f"{words} has another value than the old one")
        after = {**ends, **before, **self.values(number, new)}
        return number, key, row, {column: value for column, value in after.items() if value is not None}

    def apply(self, changes):
        for number, key, before, after in changes:
            rows = self.graph.rows[number]
            if before is not None:
                self.sum -= self.number_of(number, key, rows.pop(key))
            if after is not None:
                rows[key] = after
                self.sum += self.number_of(number, key, after)

    def number_of(self, number, key, row):
        return identity.number_of(identity.row_line(self.graph, number, key, row))


def own_inverses(model):
    """The relationships of a model that are their own inverses, as links name them (13.3.1)."""
    return {f"{entity.name}.{name}" for entity in model.entities.values() for name, member in entity.properties.items()
            if model.is_own_inverse(member)}


# --- The version


class Replica:
    """The newest version of a head of a document."""

    def __init__(self, files, head):
        manifest = head.manifest
        details = manifest.details[manifest.versions[-1]]
        self.hashes = next(model["hashes"] for model in manifest.models if model["name"] == details["model"])
        self.stores, self.uuids = {}, {}
        for store, graph, _ in contents.store_graphs(files, head):
            self.stores[store["name"]] = Store(graph)
            self.uuids[store["name"]] = str(uuid.UUID(bytes=store["uuid"])).upper()
        present = [one for one in manifest.attachments if one["until"] is None]
        self.files = {one["name"]: (one["digest"], one["byteCount"]) for one in present if not one["content"]}
        self.content = [one for one in present if one["content"]]
        models = [store.graph.model for store in self.stores.values()]
        self.own_inverses = set().union(*map(own_inverses, models))

    def identity(self, version):
        """The identity of these rows and attachments as the version that a pack describes."""
        sums = {self.uuids[name]: identity.text_of(store.sum) for name, store in self.stores.items()}
        attached = [*self.content, *({"name": name, "digest": digest} for name, (digest, _) in self.files.items())]
        return identity.digest(version.members, self.hashes, sums, attached)

    def store(self, name):
        require((name is None) == (len(self.stores) == 1) and (name is None or name in self.stores), "13.2.1", f"there is no store {name!r}")
        return next(iter(self.stores.values())) if name is None else self.stores[name]

    def move(self, difference):
        """Applies all of a difference, or nothing of it."""
        require(difference.hashes in (None, self.hashes), "13.1.3", "the changes are of another version of the model")
        changes = [(self.store(subject[0]), self.store(subject[0]).change(subject, *pair)) for subject, pair in difference.rows.items()]
        for name, (old, _) in difference.files.items():
            require(self.files.get(name) == old, "16.3.2", f"the attachment '{name}' is another")
        for store, change in changes:
            store.apply([change])
        for name, (_, new) in difference.files.items():
            self.files.pop(name, None)
            if new is not None:
                self.files[name] = new
