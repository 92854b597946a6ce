"""The schema of a block file (4.6.3), and what it is for a model (3.2)."""

import re
import struct

from findings import Bytes, Refused, signed
from model import Attribute, Relationship

BOOLEAN, INT16, INT32, INT64, FLOAT, DOUBLE, DATE, DECIMAL, TEXT, URI, BYTES, UUID, REFERENCE = range(1, 14)
# The mark of an index of words, in place of a column
WORDS = 65531
INTEGERS, REALS = {BOOLEAN, INT16, INT32, INT64, REFERENCE}, {FLOAT, DOUBLE, DATE}

KINDS = {
    "Boolean": BOOLEAN, "Integer 16": INT16, "Integer 32": INT32, "Integer 64": INT64, "Float": FLOAT, "Double": DOUBLE,
    "Date": DATE, "Decimal": DECIMAL, "String": TEXT, "URI": URI, "Binary": BYTES, "Transformable": BYTES, "UUID": UUID}

# 3.6
WIDER = {
    BOOLEAN: {INT16, INT32, INT64, FLOAT, DOUBLE, DECIMAL}, INT16: {INT32, INT64, FLOAT, DOUBLE, DECIMAL},
    INT32: {INT64, DOUBLE, DECIMAL},
    INT64: {DECIMAL}, FLOAT: {DOUBLE}, URI: {TEXT, BYTES}, TEXT: {BYTES}, UUID: {BYTES}}


def widens(kind, other):
    return kind == other or other in WIDER.get(kind, ())


class Column:
    def __init__(self, number, name, kind, is_optional, default=None):
        self.number, self.name, self.kind, self.is_optional, self.default = number, name, kind, is_optional, default


class Layout:
    """The columns of an entity or of a link table."""

    def __init__(self, number, name, columns):
        self.number, self.name, self.columns = number, name, columns
        self.by_name = {column.name: column for column in columns}
        self.by_number = {column.number: column for column in columns}
        if not len(self.by_name) == len(self.by_number) == len(columns):
            raise Refused("4.6.3", f"two columns of '{name}' have one name or number")


class LinkTable:
    def __init__(self, number, flags, name, forward, backward):
        self.number, self.flags, self.name = number, flags, name
        self.forward, self.backward = forward, backward
        columns = [Column(1, "source", REFERENCE, False), Column(2, "target", REFERENCE, False)]
        columns += [Column(3, "target#order", INT64, True)] if flags & 1 else []
        columns += [Column(4, "source#order", INT64, True)] if flags & 2 else []
        self.layout = Layout(number, name, columns)

    @property
    def key(self):
        return self.number, self.flags, self.name, self.forward, self.backward


class Schema:
    def __init__(self, data):
        reader = Bytes(data, "4.6.3")
        if reader.take("4s") != b"QSCH":
            raise Refused("4.6.3", "the schema does not begin as one")
        self.highest_entity = reader.take("H")
        self.highest = self.families(reader)
        self.entities, self.relationships = {}, {}
        numbers = []
        for _ in range(reader.take("H")):
            layout, relationships = self.entity(reader)
            if layout.name in self.relationships:
                raise Refused("4.6.3", f"two entities are called '{layout.name}'")
            self.relationships[layout.name] = relationships
            self.entities[layout.number] = layout
            numbers.append(layout.number)
        self.tables = [self.table(reader) for _ in range(reader.take("H"))]
        self.layouts = {**self.entities, **{table.number: table.layout for table in self.tables}}
        count = reader.take("H")
        self.word_indexes = set()
        self.indexes = dict(self.index(reader) for _ in range(count))
        numbers += [table.number for table in self.tables]
        if len(self.indexes) != count or len({*numbers, *self.indexes}) != len(numbers) + len(self.indexes):
            raise Refused("4.6.3", "a number is there twice")
        if not all(1 <= number <= self.highest_entity for number in [*numbers, *self.indexes]):
            raise Refused("4.6.3", "a number is none that was given")
        if reader.rest:
            raise Refused("4.6.3", "bytes follow the schema")
        self.by_name = {layout.name: layout for layout in self.entities.values()}

    @staticmethod
    def families(reader):
        pairs = [reader.take("HH") for _ in range(reader.take("H"))]
        if any(one[0] >= next_one[0] for one, next_one in zip(pairs, pairs[1:])):
            raise Refused("4.6.3", "the families are not in order")
        return dict(pairs)

    @staticmethod
    def text(reader):
        return reader.text(reader.take("H"))

    def entity(self, reader):
        number, name = reader.take("H"), self.text(reader)
        layout = Layout(number, name, [self.column(reader) for _ in range(reader.take("H"))])
        relationships = {}
        for _ in range(reader.take("H")):
            member, member_name = reader.take("H"), self.text(reader)
            if member_name in relationships:
                raise Refused("4.6.3", f"'{name}.{member_name}' is there twice")
            relationships[member_name] = member
        return layout, relationships

    def column(self, reader):
        number, kind, flags = reader.take("HBB")
        name = self.text(reader)
        if not 1 <= kind <= 13 or flags > 3 or not 1 <= number <= 61439:
            raise Refused("4.6.3", f"the column '{name}' has kind {kind}, flags {flags}, number {number}")
        default = None
        if flags & 2:
            default = default_value(kind, reader.bytes(reader.take("I")))
        return Column(number, name, kind, bool(flags & 1), default)

    def table(self, reader):
        number, flags = reader.take("HB")
        name = self.text(reader)
        if flags > 7:
            raise Refused("4.6.3", f"the links '{name}' have the flags {flags}")
        ends = [self.end(reader) for _ in range(2 if flags & 4 else 1)]
        return LinkTable(number, flags, name, ends[0], ends[1] if flags & 4 else None)

    @staticmethod
    def end(reader):
        relationship = reader.take("H")
        entities = tuple(reader.take("H") for _ in range(reader.take("H")))
        if not entities or any(one >= other for one, other in zip(entities, entities[1:])):
            raise Refused("4.6.3", "the entities of links are none or not in order")
        return relationship, entities

    def index(self, reader):
        number, entity = reader.take("HH")
        columns = [reader.take("H") for _ in range(reader.take("H"))]
        known = self.layouts[entity].by_number if entity in self.layouts else {}
        if columns[-1:] == [WORDS]:
            columns.pop()
            self.word_indexes.add(number)
            if len(columns) != 1 or columns[0] not in known or known[columns[0]].kind != TEXT:
                raise Refused("4.6.3", f"the index {number} of words is not over one text")
        if not columns or len(set(columns)) != len(columns) or any(
                column not in known or known[column].kind == BYTES for column in columns):
            raise Refused("4.6.3", f"the index {number} is over columns that it cannot be over")
        return number, (entity, columns)


def default_value(kind, data):
    """A default as values are (4.6.3): see `block.Column.value`."""
    def word():
        if len(data) != 8:
            raise Refused("4.6.3", "a default has another length")
        return int.from_bytes(data, "little")
    if kind == BOOLEAN:
        if data in (b"\0", b"\1"):
            return bool(data[0])
    elif kind in (INT16, INT32, INT64):
        value = signed(word())
        if -1 << {INT16: 15, INT32: 31, INT64: 63}[kind] <= value < 1 << {INT16: 15, INT32: 31, INT64: 63}[kind]:
            return value
    elif kind in REALS:
        bits = word()
        if kind != FLOAT:
            return bits
        try:
            return struct.unpack("<I", struct.pack("<f", struct.unpack("<d", data)[0]))[0]
        except OverflowError:
            return 0x7F800000 | bits >> 32 & 0x80000000
    elif kind == DECIMAL:
        return decimal_of_text(data)
    elif kind in (TEXT, URI):
        try:
            data.decode("utf-8")
            return bytes(data)
        except UnicodeDecodeError:
            pass
    elif kind == UUID:
        if len(data) == 16:
            return bytes(data)
    elif kind == BYTES:
        return bytes(data)
    raise Refused("4.6.3", "a default is none of its kind")


def decimal_of_text(data):
    """5.4.4: magnitude and exponent, the magnitude no multiple of ten; "NaN" as None in both."""
    if data == b"NaN":
        return "NaN"
    match = re.fullmatch(rb"([+-]?)(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]+))(?:[eE]([+-]?[0-9]{1,4}))?", data)
    if match is None:
        raise Refused("5.4.4", "a decimal is none")
    sign, whole, fraction, alone, exponent = (part or b"" for part in match.groups())
    fraction = fraction or alone
    if len(whole + fraction) > 4096:
        raise Refused("5.4.4", "a decimal has too many digits")
    magnitude, power = int(whole + fraction), int(exponent or b"0") - len(fraction)
    while magnitude and magnitude % 10 == 0:
        magnitude //= 10
        power += 1
    # A greater exponent than 127 needs zeros at the end of the digits.
    if magnitude and (power < -128 or magnitude * 10 ** max(0, power - 127) >= 1 << 128):
        raise Refused("5.4.4", "a decimal has too many digits")
    return (-magnitude if sign == b"-" else magnitude, power if magnitude else 0)


def word(value, kind):
    """The word for a value in the lines of objects (4.9)."""
    if kind == BOOLEAN:
        return "true" if value else "false"
    if kind in (INT16, INT32, INT64):
        return str(value)
    if kind == REFERENCE:
        return f"{value >> 48}/{value & (1 << 48) - 1}"
    if kind in REALS:
        return struct.pack(">I" if kind == FLOAT else ">Q", value).hex()
    if kind == DECIMAL:
        return "nan" if value == "NaN" else f"{value[0]}e{value[1]}"
    return bytes(value).hex()


# --- 3.2: the schema that a model needs -------------------------------------------------------------


def wanted_columns(model, entity):
    """Yields the name, the kind and whether it may be absent, for each column of an entity (4.6.3)."""
    def attribute(member, path):
        if member.type == "Composite":
            for part in model.composites[member.composite]:
                if not part.is_transient:
                    yield from attribute(part, f"{path}.{part.name}")
        elif member.type in KINDS:
            yield path, KINDS[member.type], member.is_optional
    for name, member in model.properties(entity).items():
        if member.is_transient:
            continue
        if isinstance(member, Attribute):
            yield from attribute(member, name)
        elif isinstance(member, Relationship) and not member.is_to_many:
            yield name, REFERENCE, member.is_optional
            inverse = model.inverse(member)
            if inverse is not None and inverse.keeps_order:
                yield f"{name}#order", INT64, True


def judge(schema, model, report):
    """3.2.1, 3.2.4 and 4.6.3: reports the rules that a schema breaks for its model."""
    for layout in schema.entities.values():
        if layout.name not in model.entities:
            report.add("MODL-004", f"the model has no entity '{layout.name}'")
    for entity in model.entities.values():
        layout = schema.by_name.get(entity.name)
        if layout is None:
            report.add("MODL-004", f"the schema has no entity '{entity.name}'")
            continue
        wanted = {name: (kind, is_optional) for name, kind, is_optional in wanted_columns(model, entity)}
        found = {column.name: (column.kind, column.is_optional) for column in layout.columns}
        if wanted != found:
            report.add("MODL-005", f"the columns of '{entity.name}' differ")
        for name, member in model.properties(entity).items():
            if isinstance(member, Relationship) and member.is_to_many and not member.is_transient:
                if name not in schema.relationships[entity.name]:
                    report.add("MODL-005", f"'{entity.name}.{name}' has no number")
    judge_links(schema, model, report)
    judge_numbers(schema, model, report)


def judge_links(schema, model, report):
    wanted = list(wanted_tables(schema, model))
    known = {table.key for table in schema.tables}
    for one in wanted:
        if one not in known:
            report.add("MODL-011", f"the schema has no links '{one[2]}', or others")
    for table in schema.tables:
        if table.number not in {one[0] for one in wanted}:
            report.add("MODL-011", f"the model has no relationships for the links '{table.name}'")


def wanted_tables(schema, model):
    """Yields number, flags, name and ends of each link table that a model needs (3.2.4, 4.6.3)."""
    def end(name, entity):
        number = schema.relationships.get(entity.name, {}).get(name)
        numbers = sorted(schema.by_name[one].number for one in model.family(entity.name) if one in schema.by_name)
        return None if number is None else (number, tuple(numbers))

    def is_same(one, other):
        return one is not None and other is not None and one[0] == other[0] and set(one[1]) & set(other[1])

    done = []
    for layout in sorted(schema.entities.values(), key=lambda one: one.number):
        entity = model.entities.get(layout.name)
        for name, member in sorted(entity.properties.items()) if entity else []:
            if not isinstance(member, Relationship) or not member.is_to_many or member.is_transient:
                continue
            forward, inverse, backward = end(name, entity), model.inverse(member), None
            if forward is None or inverse is not None and not inverse.is_to_many:
                continue
            if inverse is not None:
                backward = end(inverse.name, model.declaring(model.entities[member.destination], inverse.name))
            if any(forward in (table[3], table[4]) for table in done):
                continue
            known = next((table for table in schema.tables if is_same(table.forward, forward) or is_same(table.backward, forward)), None)
            is_turned = known is not None and not is_same(known.forward, forward)
            orders = [member.keeps_order, inverse is not None and inverse.keeps_order]
            if is_turned:
                orders.reverse()
                forward, backward = backward or forward, forward
            flags = (orders[0] or bool(known and known.flags & 1)) | (orders[1] or bool(known and known.flags & 2)) << 1
            done.append((known.number if known else -1, flags | (4 if backward else 0), f"{entity.name}.{name}", forward, backward))
            yield done[-1]


def judge_numbers(schema, model, report):
    before = report.error_count
    numbers = {
        name: [*((column.name, column.number) for column in layout.columns), *schema.relationships[name].items()]
        for name, layout in schema.by_name.items()}
    for name, pairs in numbers.items():
        if len({number for _, number in pairs}) < len({member for member, _ in pairs}):
            report.add("MODL-006", f"two properties of '{name}' have one number")
        entity = model.entities.get(name)
        above = numbers.get(entity.superentity, []) if entity else []
        here = dict(pairs)
        if any(here.get(member, number) != number for member, number in above):
            report.add("MODL-006", f"'{name}' has another number for what it inherits")
    if report.error_count > before:
        return
    highest = {}
    for name, pairs in numbers.items():
        if name in model.entities:
            root = schema.by_name.get(model.line(model.entities[name])[-1].name)
            if root is not None:
                highest[root.number] = max([highest.get(root.number, 0), *(number for _, number in pairs)])
    for root, most in highest.items():
        if most > schema.highest.get(root, 0):
            report.add("MODL-007", f"the family of {root} has a number above its highest")
