"""The objects of a commit: layers (3.5), what holds of objects (6.3), and the entries of indexes (4.5.6)."""

import re
import signal
import struct

from block import BASIS, KEY, OBJECT, VERSION, Reference
from findings import signed
from model import Attribute, Relationship
from records import expanded
from schema import BOOLEAN, BYTES, DECIMAL, FLOAT, INT16, INT32, INT64, INTEGERS, REALS, REFERENCE, TEXT
from words import words

PUT, CHANGED, REMOVED = range(3)


class Segment:
    """The blocks of a segment, by entity."""

    def __init__(self, file, entries, highest_index):
        self.entries, self.highest_index = entries, highest_index
        self.runs, self.unsound = {}, set()
        for index, entry in enumerate(entries):
            block = file.blocks.get(entry.key)
            if block is None:
                self.unsound.add(entry.entity)
            if index and not entries[index - 1].precedes(entry):
                self.unsound |= {entry.entity, entries[index - 1].entity}
            self.runs.setdefault(entry.entity, []).append((entry, block))
        self.file = file

    def blocks(self, entity):
        """The blocks of an entity as (entry, block), those put first; none if one of them is damaged."""
        return [] if entity in self.unsound else sorted(self.runs.get(entity, []), key=lambda one: one[0].run)


def converted(value, kind, wanted):
    """3.6"""
    if value is None or kind == wanted:
        return value
    if kind == BOOLEAN:
        return converted(int(value), INT16, wanted)
    if kind in INTEGERS:
        if wanted == FLOAT:
            return struct.unpack("<I", struct.pack("<f", value))[0]
        if wanted in REALS:
            return struct.unpack("<Q", struct.pack("<d", value))[0]
        if wanted == DECIMAL:
            exponent = 0
            while value and value % 10 == 0:
                value, exponent = value // 10 if value > 0 else -(-value // 10), exponent + 1
            return value, exponent if value else 0
        return value
    if kind == FLOAT:
        return struct.unpack("<Q", struct.pack("<d", struct.unpack("<f", struct.pack("<I", value))[0]))[0]
    return value


class Graph:
    # Whether each object in an ordered relationship has a place in it (6.3.7).
    needs_places = True

    def __init__(self, segments, model, schema, report):
        self.segments, self.model, self.schema, self.report = segments, model, schema, report
        self.unsound = set().union(*(segment.unsound for segment in segments)) if segments else set()
        self.rows = {}
        self.links = {}
        for number in schema.layouts:
            if number not in self.unsound:
                self.rows[number] = self.gather(number)

    def add(self, rule, message):
        self.report.add(rule, message)

    # --- 3.5

    def gather(self, number):
        """The objects of an entity: for each key its rows as (block, row), the lowest first."""
        found = {}
        for place, segment in enumerate(self.segments):
            for entry, block in segment.blocks(number):
                keys = block.columns[KEY].numbers
                versions, bases = block.columns.get(VERSION), block.columns.get(BASIS)
                for row, key in enumerate(keys):
                    found.setdefault(key, []).append((
                        place, entry.run, block, row, versions.numbers[row] if versions else entry.version,
                        bases.numbers[row] if bases else 0))
        return {key: rows for key in sorted(found) if (rows := self.stack(number, key, found[key]))}

    def stack(self, number, key, entries):
        rows, version, last = [], 0, None
        for place, run, block, row, own_version, basis in entries:
            if place == last:
                self.add("BLCK-047", f"object {number}/{key} is twice in one segment")
                continue
            last = place
            if not rows and run != PUT:
                self.add("GRAF-017", f"object {number}/{key} is changed or removed, and it is not there")
                continue
            if basis not in (version, -1):
                self.add("GRAF-018", f"a change of object {number}/{key} has another basis")
            rows = {PUT: [(block, row)], CHANGED: [*rows, (block, row)], REMOVED: []}[run]
            version = own_version if rows else 0
        return rows

    def value(self, rows, column, resolving=False):
        """The value of a column in an object's rows, as the schema reads it (3.5.3, 3.6)."""
        for block, row in reversed(rows):
            found = block.columns.get(column.number)
            if found is not None and found.is_given(row):
                value = converted(found.value(row), found.kind, column.kind)
                return self.outside(value) if resolving and value is not None and found.is_outside(row) else value
        return column.default

    def outside(self, data):
        reference, file = Reference(data), self.segments[0].file
        kept = file.data[reference.offset:reference.offset + reference.stored_count]
        return expanded(kept, reference.byte_count) if reference.codec else kept

    # --- 6.3

    def judge(self):
        model = self.model
        for number, layout in sorted(self.schema.entities.items()):
            rows, entity = self.rows.get(number), model.entities.get(layout.name)
            if not rows or entity is None:
                continue
            if entity.is_abstract:
                self.add("GRAF-001", f"'{layout.name}' is abstract and has objects")
            for name, member in model.properties(entity).items():
                if member.is_transient:
                    continue
                if isinstance(member, Attribute):
                    self.judge_attribute(member, name, not member.is_optional, layout, rows)
                elif isinstance(member, Relationship) and not member.is_to_many and name in layout.by_name:
                    self.judge_to_one(entity, member, layout, rows)
        for (entity, name), links in sorted(self.links.items()):
            self.judge_references(model.entities[entity].properties[name], entity, links)
        for table in self.schema.tables:
            self.judge_table(table)
        for entity in model.entities.values():
            for constraint in entity.constraints:
                self.judge_constraint(entity, constraint)

    def judge_attribute(self, member, path, is_required, layout, rows):
        if member.type == "Composite":
            for part in self.model.composites[member.composite]:
                if not part.is_transient:
                    self.judge_attribute(part, f"{path}.{part.name}", is_required and not part.is_optional, layout, rows)
            return
        column = layout.by_name.get(path)
        if column is None:
            return
        is_bounded = column.kind != BYTES and (
            member.least is not None or member.greatest is not None or member.pattern is not None
            or member.is_day or member.places is not None)
        if not is_required and not is_bounded:
            return
        for key, stack in rows.items():
            value = self.value(stack, column)
            if value is None:
                if is_required:
                    self.add("GRAF-002", f"'{layout.name}' {key} has no '{path}'")
            elif is_bounded:
                self.judge_value(member, column.kind, value)

    def judge_value(self, member, kind, value):
        text = value.decode("utf-8") if kind == TEXT else None
        measured = len(text) if kind == TEXT else number_of(value, kind)
        if measured is not None and member.least is not None and measured < member.least:
            self.add("GRAF-003", f"a value of '{member.name}'")
        if measured is not None and member.greatest is not None and measured > member.greatest:
            self.add("GRAF-004", f"a value of '{member.name}'")
        if (member.is_day and (measured is None or measured % 86400 != 0)
                or member.places is not None and kind == DECIMAL and value != "NaN" and not has_places(value, member.places)):
            self.add("GRAF-022", f"a value of '{member.name}'")
        if text is not None and member.pattern is not None:
            found = matches(member.pattern, text)
            if found is None:
                self.add("GRAF-006", f"a value of '{member.name}'")
            elif not found:
                self.add("GRAF-005", f"a value of '{member.name}'")

    def is_there(self, key):
        """Whether an object is there; what became of the objects of a damaged entity, a reader cannot tell."""
        rows = self.rows.get(key >> 48)
        return rows is None or key & (1 << 48) - 1 in rows

    def judge_to_one(self, entity, member, layout, rows):
        column, order = layout.by_name[member.name], layout.by_name.get(f"{member.name}#order")
        declaring = self.model.declaring(entity, member.name).name
        found = []
        for key, stack in rows.items():
            target = self.value(stack, column)
            place = self.value(stack, order) if order else None
            if target is None:
                if not member.is_optional:
                    self.add("GRAF-009", f"'{layout.name}' {key} has no '{member.name}'")
                if place is not None:
                    self.add("GRAF-015", f"'{layout.name}' {key} has a place and no '{member.name}'")
                continue
            destination = self.schema.entities.get(target >> 48)
            if destination is None or not self.model.is_or_inherits(destination.name, member.destination):
                self.add("GRAF-007", f"'{member.name}' of '{layout.name}' {key} leads to another entity")
                continue
            if not self.is_there(target):
                self.add("GRAF-008", f"'{member.name}' of '{layout.name}' {key} leads to nothing")
                continue
            if self.needs_places and order is not None and place is None:
                self.add("GRAF-014", f"'{layout.name}' {key} has no place")
            found.append((target, layout.number << 48 | key, place))
        if self.model.inverse(member) is not None:
            self.links.setdefault((declaring, member.name), []).extend(found)

    def judge_references(self, member, entity, links):
        """The other side of a to-one relationship: links are (target, source, place)."""
        inverse = self.model.inverse(member)
        owner = self.model.declaring(self.model.entities[member.destination], inverse.name).name
        if inverse.is_to_many:
            if inverse.keeps_order:
                self.judge_places(links)
            self.judge_counts(links, inverse, owner)
            return
        back = {source: target for target, source, _ in self.links.get((owner, inverse.name), [])}
        for target, source, _ in links:
            if target >> 48 in self.rows and back.get(target) != source:
                self.add("GRAF-012", f"'{member.name}' leads to an object that does not lead back")

    def judge_places(self, links):
        seen = set()
        for target, _, place in links:
            if place is not None and (target, place) in seen:
                self.add("GRAF-013", "two objects have one place")
            seen.add((target, place))

    def judge_counts(self, links, member, owner):
        least = member.least
        if least <= 0 and member.greatest <= 0:
            return
        counts = {}
        for target, _, _ in links:
            counts[target] = counts.get(target, 0) + 1
        for name in self.model.family(owner):
            layout = self.schema.by_name.get(name)
            for key in self.rows.get(layout.number) or {} if layout else {}:
                count = counts.get(layout.number << 48 | key, 0)
                if count < least and (count or not member.is_optional):
                    self.add("GRAF-009" if count == 0 else "GRAF-010", f"'{name}' {key} has {count} of '{member.name}'")
                if 0 < member.greatest < count:
                    self.add("GRAF-011", f"'{name}' {key} has {count} of '{member.name}'")

    # --- 3.2.4

    def relationships(self, end):
        """The relationships that an end of links stands for, with the entities that declare them."""
        found = {}
        for number in end[1]:
            layout = self.schema.entities.get(number)
            name = next((name for name, one in self.schema.relationships[layout.name].items() if one == end[0]), None) if layout else None
            entity = self.model.entities.get(layout.name) if name else None
            member = self.model.properties(entity).get(name) if entity else None
            if isinstance(member, Relationship):
                found[self.model.declaring(entity, name).name] = member
        return found

    def judge_table(self, table):
        rows = self.rows.get(table.number)
        if rows is None:
            return
        destinations = table.backward[1] if table.backward else [
            self.schema.by_name[name].number for member in self.relationships(table.forward).values()
            for name in self.model.family(member.destination) if name in self.schema.by_name]
        columns = [table.layout.by_number.get(number) for number in (1, 2, 3, 4)]
        forward, backward = [], []
        for key, stack in rows.items():
            source, target, target_place, source_place = (self.value(stack, one) if one else None for one in columns)
            if source is None or target is None:
                self.add("GRAF-019", f"link {key} has no source or no target")
                continue
            if not self.is_end(source, table.forward[1]) or not self.is_end(target, destinations):
                continue
            if self.needs_places and (columns[2] and target_place is None or columns[3] and source_place is None):
                self.add("GRAF-014", f"link {key} has no place")
            forward.append((source, target, target_place))
            backward.append((target, source, source_place))
        pairs = [pair[:2] for pair in forward]
        if len(set(pairs)) < len(pairs):
            self.add("GRAF-021", f"a link of '{table.name}' is there twice")
        if table.forward == table.backward:
            self.judge_end(forward + [link for link in backward if link[0] != link[1]], table.forward)
            return
        self.judge_end(forward, table.forward)
        if table.backward:
            self.judge_end(backward, table.backward)

    def is_end(self, key, entities):
        if key >> 48 not in entities:
            self.add("GRAF-007", "a link leads to another entity")
            return False
        if not self.is_there(key):
            self.add("GRAF-020", "a link leads to an object that is not there")
            return False
        return True

    def judge_end(self, links, end):
        for owner, member in self.relationships(end).items():
            if member.keeps_order:
                self.judge_places(links)
            self.judge_counts(links, member, owner)

    def judge_constraint(self, entity, constraint):
        """6.3.8"""
        seen = set()
        for name in self.model.family(entity.name):
            layout = self.schema.by_name.get(name)
            columns = [layout.by_name.get(one) for one in constraint] if layout else [None]
            if not all(columns):
                continue
            for stack in (self.rows.get(layout.number) or {}).values():
                values = [self.value(stack, column, True) for column in columns]
                if any(value is None for value in values):
                    continue
                values = tuple(identity(value, column.kind) for value, column in zip(values, columns))
                if values in seen:
                    self.add("GRAF-016", f"two objects share {constraint}")
                seen.add(values)


def matches(pattern, text):
    """Whether a text matches a pattern as a whole; None where that takes more than a moment (6.3.3)."""
    def give_up(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        return re.fullmatch(pattern, text) is not None
    except TimeoutError:
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def has_places(value, places):
    """2.2.11: whether a decimal number, a whole number and a power of ten, has at most so many decimal places."""
    number, power = value
    return -power <= places or number % 10 ** (-power - places) == 0


def number_of(value, kind):
    """A value as a number to compare with bounds; None for what has none."""
    if kind in REALS:
        form = ("<I", "<f") if kind == FLOAT else ("<Q", "<d")
        number = struct.unpack(form[1], struct.pack(form[0], value))[0]
        return number if number == number else None
    if kind == DECIMAL:
        return None if value == "NaN" else value[0] * 10.0 ** value[1]
    return value if kind in (INT16, INT32, INT64) else None


def identity(value, kind):
    """6.3.8: values are equal when their bytes are, and numbers when the numbers are."""
    if kind in REALS:
        number = struct.unpack("<f" if kind == FLOAT else "<d", struct.pack("<I" if kind == FLOAT else "<Q", value))[0]
        return "NaN" if number != number else number
    return value


# --- 4.5.6 ----------------------------------------------------------------------------------------


def ordering(value, kind):
    """A key that orders as values of a kind do."""
    if value is None:
        return (0,)
    if kind in REALS:
        number = struct.unpack("<f" if kind == FLOAT else "<d", struct.pack("<I" if kind == FLOAT else "<Q", value))[0]
        return (2,) if number != number else (1, number)
    if kind == DECIMAL:
        return (2,) if value == "NaN" else (1, Exact(value))
    return (1, signed(value) if kind == REFERENCE else value)


class Exact:
    """A decimal that is compared exactly."""

    def __init__(self, value):
        self.magnitude, self.exponent = value

    def pair(self, other):
        least = min(self.exponent, other.exponent)
        return self.magnitude * 10 ** (self.exponent - least), other.magnitude * 10 ** (other.exponent - least)

    def __eq__(self, other):
        own, others = self.pair(other)
        return own == others

    def __lt__(self, other):
        own, others = self.pair(other)
        return own < others


def judge_indexes(segments, graph, report):
    if len(segments) > 256:
        return
    unsound = set().union(*(segment.unsound for segment in segments)) if segments else set()
    for number, (entity, columns) in sorted(graph.schema.indexes.items()):
        if entity in unsound or number in unsound:
            continue
        layout = graph.schema.layouts[entity]
        beneath = {}
        for segment in segments:
            judge_index(segment, number, [layout.by_number[one] for one in columns], entity, beneath, graph, report)
            for entry, block in segment.blocks(entity):
                for row, key in enumerate(block.columns[KEY].numbers):
                    if entry.run == PUT:
                        beneath[key] = [(block, row)]
                    elif entry.run == REMOVED:
                        beneath.pop(key, None)
                    elif key in beneath:
                        beneath[key] = [*beneath[key], (block, row)]


def judge_index(segment, number, columns, entity, beneath, graph, report):
    """The entries of an index in one segment, whose changes lie above the rows `beneath`."""
    kept = segment.blocks(number)
    if number > segment.highest_index:
        if kept:
            report.add("INDX-001", f"there are entries of index {number}")
        return
    wanted = []
    for entry, block in segment.blocks(entity):
        for row, key in enumerate(block.columns[KEY].numbers):
            stack = [(block, row)]
            if entry.run == CHANGED:
                given = (block.columns.get(column.number) for column in columns)
                if key not in beneath or not any(one is not None and one.is_given(row) for one in given):
                    continue
                stack = [*beneath[key], (block, row)]
            if entry.run == REMOVED:
                continue
            if number in graph.schema.word_indexes:
                text = graph.value(stack, columns[0])
                wanted += [((1, word), key) for word in set(words(text) if text is not None else ())]
            else:
                wanted.append((*(ordering(graph.value(stack, column), column.kind) for column in columns), key))
    if not any(entry.run == PUT for entry, _ in kept):
        if wanted:
            report.add("INDX-001", f"there are no entries of index {number}")
        elif kept:
            report.add("INDX-002", f"entries of index {number} are not put")
        return
    if any(entry.run != PUT for entry, _ in kept) or not all(
            OBJECT in block.columns and all(
                column.number in block.columns and block.columns[column.number].kind == column.kind for column in columns)
            for _, block in kept):
        report.add("INDX-002", f"entries of index {number} lack a column")
        return
    found = [
        (*(ordering(block.columns[column.number].value(row), column.kind) for column in columns),
         block.columns[OBJECT].numbers[row])
        for _, block in kept for row in range(block.rows)]
    if kept[0][1].minimum != 1 or kept[-1][1].maximum != len(found):
        report.add("INDX-003", f"the places of index {number}")
    elif sorted(one[-1] for one in found) != sorted(one[-1] for one in wanted):
        report.add("INDX-005", f"the objects of index {number}")
    elif not all(one < other for one, other in zip(found, found[1:])):
        report.add("INDX-004", f"the order of index {number}")
    elif found != sorted(wanted):
        report.add("INDX-006", f"the values of index {number}")
