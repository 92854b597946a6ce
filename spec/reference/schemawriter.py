"""Writes the sections beside the rows (4.6): schemas and metadata. Numbers, and the order of lists, are a writer's choice."""

import plistlib
import struct
import uuid as uuids

import schema as schemas
from model import Model, Relationship, digests_of
from schema import BOOLEAN, BYTES, DECIMAL, INT16, INT32, INT64, TEXT, URI, UUID


class Index:
    """4.5.6: its number, the name of an entity or a link table, the names of its columns, and whether it is one of words."""

    def __init__(self, number, owner, columns, has_words=False):
        self.number, self.owner, self.columns, self.has_words = number, owner, columns, has_words


class Plan:
    """The schema that a writer makes for a model.

    `entities` are the numbers of the entities, and `tables` those of the link tables, by name. `first` and `stride` give the numbers of
    properties, `known` is an earlier schema, `numbers` are further numbers of properties that keep theirs under another name, `defaults` the
    defaults of columns, and `turned` the tables whose source is the second relationship. `backwards` lists everything in the opposite order
    where the order is free (4.6.3).
    """

    def __init__(self, xml, entities, tables=None, indexes=(), first=1, stride=1, known=None, numbers=None,
                 defaults=None, turned=(), backwards=False):
        self.xml, self.model, self.entities, self.indexes = xml.encode(), Model(xml.encode()), entities, list(indexes)
        self.tables, self.defaults, self.turned, self.backwards = tables or {}, defaults or {}, turned, backwards
        self.numbers = {**(known.numbers if known else {}), **(numbers or {})}
        self.highest_entity = max([*entities.values(), *self.tables.values(), *(one.number for one in self.indexes),
                                   known.highest_entity if known else 0])
        # No number is ever given twice (3.2.1), so the highest ones of an earlier schema stay.
        self.highest = dict(known.highest) if known else {}
        for name in self.depth_first(None):
            self.number_properties(self.model.entities[name], first, stride)
        self.data = self.encoded()
        self.schema = schemas.Schema(self.data)

    def depth_first(self, above):
        for name in sorted(self.model.subentities.get(above, [])):
            yield name
            yield from self.depth_first(name)

    def root(self, entity):
        return self.entities[self.model.line(entity)[-1].name]

    def number_properties(self, entity, first, stride):
        root = self.root(entity)
        columns = list(schemas.wanted_columns(self.model, entity))
        lists = [name for name, member in self.model.properties(entity).items()
                 if isinstance(member, Relationship) and member.is_to_many and not member.is_transient]
        for name in [*(column[0] for column in columns), *lists]:
            owner = self.owner(entity, name)
            if (owner, name) not in self.numbers:
                self.highest[root] = self.highest[root] + stride if root in self.highest else first
                self.numbers[owner, name] = self.highest[root]

    def owner(self, entity, name):
        """The entity that declares a column, whose subentities have the same number for it."""
        return self.model.declaring(entity, name.split("#")[0].split(".")[0]).name

    # --- 4.6.3

    def encoded(self):
        entities = [self.entity(self.model.entities[name]) for name in sorted(self.entities, key=self.entities.get)]
        tables = [self.table(name, number) for name, number in self.tables.items()]
        indexes = [self.index(index) for index in self.indexes]
        families = [struct.pack("<HH", *pair) for pair in sorted(self.highest.items())]
        ordered = [one[::-1] if self.backwards else one for one in (entities, tables, indexes)]
        return b"QSCH" + struct.pack("<H", self.highest_entity) + b"".join(map(listed, (families, *ordered)))

    def entity(self, entity):
        columns, lists = [], []
        for name, kind, is_optional in schemas.wanted_columns(self.model, entity):
            default = self.defaults.get((self.owner(entity, name), name))
            number = self.numbers[self.owner(entity, name), name]
            data = struct.pack("<HBB", number, kind, is_optional | (default is not None) << 1) + text(name)
            columns.append(data + (counted(default_bytes(kind, default)) if default is not None else b""))
        for name, member in self.model.properties(entity).items():
            if isinstance(member, Relationship) and member.is_to_many and not member.is_transient:
                lists.append(struct.pack("<H", self.numbers[self.owner(entity, name), name]) + text(name))
        if self.backwards:
            columns.reverse()
            lists.reverse()
        return struct.pack("<H", self.entities[entity.name]) + text(entity.name) + listed(columns) + listed(lists)

    def end(self, declaring, member):
        numbers = sorted(self.entities[name] for name in self.model.family(declaring.name))
        return struct.pack("<H", self.numbers[declaring.name, member.name]) + listed([struct.pack("<H", one) for one in numbers])

    def table(self, name, number):
        """3.2.4, 4.6.3"""
        owner, _, relationship = name.partition(".")
        entity = self.model.entities[owner]
        member = entity.properties[relationship]
        inverse = self.model.inverse(member)
        ends, orders = [self.end(entity, member)], [member.keeps_order]
        if inverse is not None:
            ends.append(self.end(self.model.declaring(self.model.entities[member.destination], inverse.name), inverse))
            orders.append(inverse.keeps_order)
            if name in self.turned:
                ends.reverse()
                orders.reverse()
        flags = sum(bit for bit, one in zip((1, 2), orders) if one) | (4 if inverse is not None else 0)
        return struct.pack("<HB", number, flags) + text(name) + b"".join(ends)

    def forward(self, name):
        """The name of the relationship that leads from source to target (13.3.1)."""
        owner, _, relationship = name.partition(".")
        if name not in self.turned:
            return name
        member = self.model.entities[owner].properties[relationship]
        inverse = self.model.inverse(member)
        return f"{self.model.declaring(self.model.entities[member.destination], inverse.name).name}.{inverse.name}"

    def index(self, index):
        if index.owner in self.tables:
            columns = [("source", "target", "target#order", "source#order").index(name) + 1 for name in index.columns]
            owner = self.tables[index.owner]
        else:
            entity = self.model.entities[index.owner]
            columns, owner = [self.numbers[self.owner(entity, name), name] for name in index.columns], self.entities[index.owner]
        columns += [schemas.WORDS] if index.has_words else []
        return struct.pack("<HH", index.number, owner) + listed([struct.pack("<H", one) for one in columns])

    def metadata(self, uuid, kind, more=None):
        """4.6.1 and 4.6.5"""
        hashes = self.model.hashes()
        values = {
            **(more or {}), "NSStoreType": kind, "NSStoreUUID": str(uuids.UUID(bytes=uuid)).upper(), "NSStoreModelVersionHashes": hashes,
            "NSStoreModelVersionHashesDigest": digests_of(hashes)[0], "NSStoreModelVersionIdentifiers": self.model.identifiers}
        return plistlib.dumps(values, fmt=plistlib.FMT_BINARY, sort_keys=False)


def text(words):
    data = words.encode()
    return struct.pack("<H", len(data)) + data


def listed(parts):
    return struct.pack("<H", len(parts)) + b"".join(parts)


def counted(data):
    return struct.pack("<I", len(data)) + data


def default_bytes(kind, value):
    """4.6.3: the default of a column; reals as numbers of Python, decimals as their text."""
    if kind == BOOLEAN:
        return bytes([value])
    if kind in (INT16, INT32, INT64):
        return struct.pack("<q", value)
    if kind in (TEXT, URI, DECIMAL):
        return value.encode()
    return value if kind in (BYTES, UUID) else struct.pack("<d", value)
