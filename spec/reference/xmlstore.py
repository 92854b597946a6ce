"""XML stores (5)."""

import re
import struct
import unicodedata
import xml.parsers.expat

import metadata
import model as models
import plist
import schema as schemas
from findings import Refused
from graph import Graph
from model import Element, Relationship
from schema import BOOLEAN, BYTES, DECIMAL, FLOAT, INT16, INT32, INT64, TEXT, URI, UUID, Column, Layout, LinkTable

WHITE = " \t\n\r"
DATE = re.compile(r"-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)


def may_begin(data):
    """5.2.1: whether first bytes may be those of an XML document."""
    if data[:2] in (b"\xfe\xff", b"\xff\xfe", b"\x00<"):
        return True
    start = data[3:64] if data[:3] == b"\xef\xbb\xbf" else data[:64]
    return start.lstrip(WHITE.encode())[:1] == b"<"


# --- 5.3.1: names ---------------------------------------------------------------------------------


def exact(name):
    return name


def upper(name):
    return "".join(character.upper() for character in name)


def lower(name):
    return "".join(character.lower() for character in name)


def fold(name):
    return lower(upper(lower(name)))


def find(name, names, usual):
    """The name of the model that a spelling stands for; None where it stands for none, or for several."""
    for way in (exact, usual, fold):
        wanted = unicodedata.normalize("NFC", way(name))
        found = [one for one in names if unicodedata.normalize("NFC", way(one)) == wanted]
        if len(found) == 1:
            return found[0]
    return None


# --- 5.4: values ----------------------------------------------------------------------------------


def identifier(text):
    """The number of an `id`; None where it is none."""
    if not re.fullmatch(r"z[1-9][0-9]{0,14}", text, re.ASCII) or int(text[1:]) >= 1 << 48:
        return None
    return int(text[1:])


def unescaped(text):
    """5.4.1; None where an escape is half of a character."""
    if "\\" not in text:
        return text
    def unit(match):
        digits = match.group(1)
        return chr(int(digits[2:] + digits[:2], 16))
    plain = re.sub(r"\\u([0-9A-Fa-f]{4})", unit, text, flags=re.ASCII)
    try:
        return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        return None


def real(words, kind):
    """5.4.3: the bits of a number; None where the text is none."""
    form, digits = ("<f", 8) if kind == FLOAT else ("<d", 16)
    code = "<I" if kind == FLOAT else "<Q"
    found = re.fullmatch(r"nan\(([0-9A-Fa-f]{%d})\)" % digits, words, re.ASCII)
    if found:
        bits = int(found.group(1), 16)
        number = struct.unpack(form, struct.pack(code, bits))[0]
        return bits if number != number else None
    if words == "nan":
        return 0x7FC00000 if kind == FLOAT else 0x7FF8 << 48
    if words in ("inf", "-inf"):
        number = float(words)
    elif re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", words, re.ASCII):
        number = float(words)
    else:
        return None
    try:
        return struct.unpack(code, struct.pack(form, number))[0]
    except OverflowError:
        return 0x7F800000 if number > 0 else 0xFF800000


def value(text, kind):
    """The value of a kind that is not text; None where the text is none."""
    words = text.strip("".join(map(chr, range(33))))
    if kind == BOOLEAN:
        return {"0": False, "1": True}.get(words)
    if kind in (INT16, INT32, INT64):
        limit = 1 << {INT16: 15, INT32: 31, INT64: 63}[kind]
        number = int(words) if re.fullmatch(r"[+-]?[0-9]+", words, re.ASCII) else limit
        return number if -limit <= number < limit else None
    if kind == DECIMAL:
        try:
            return schemas.decimal_of_text(words.encode())
        except Refused:
            return None
    if kind == UUID:
        return metadata.as_uuid(words)
    if kind == BYTES:
        return plist.bytes_of_base64(without_white(text))
    return real(words, kind)


def without_white(text):
    return text.translate({ord(one): None for one in WHITE})


# --- 11.2: property lists ---------------------------------------------------------------------------


def plist_value(element):
    def bad(words):
        raise Refused("11.2.1", words)

    def is_blank():
        return not "".join(element.text).strip(WHITE)
    tag, text = element.tag, "".join(element.text)
    if tag == "plist":
        return plist_value(element.children[0]) if len(element.children) == 1 and is_blank() else bad("one value is expected")
    if tag == "dict":
        keys, values = element.children[::2], element.children[1::2]
        if not is_blank() or len(keys) != len(values) or any(key.tag != "key" or key.children for key in keys) or any(
                one.tag == "key" for one in values):
            bad("a dictionary is of keys and values")
        names = ["".join(key.text) for key in keys]
        if len(set(names)) != len(names):
            bad("a key is there twice")
        return dict(zip(names, map(plist_value, values)))
    if tag == "array":
        return list(map(plist_value, element.children)) if is_blank() else bad("an array contains text")
    if element.children:
        bad(f"'{tag}' contains an element")
    if tag == "string":
        return text
    if tag in ("true", "false"):
        return tag == "true" if is_blank() else bad("text in a Boolean")
    if tag == "data":
        data = plist.bytes_of_base64(without_white(text))
        return bad("data are none") if data is None else data
    words = text.strip()
    if tag == "integer" and re.fullmatch(r"[+-]?[0-9]+", words, re.ASCII):
        return int(words)
    if tag == "real" and re.fullmatch(r"[+-]?([0-9.]+([eE][+-]?[0-9]+)?|inf(inity)?|nan)", words, re.ASCII | re.I):
        return plist.Real(words)
    if tag == "date" and DATE.fullmatch(words):
        return plist.Date(0)
    return bad(f"'{text[:40]}' is not a value of '{tag}'")


# --- The document -----------------------------------------------------------------------------------


class ModelSchema:
    """What a graph needs of a schema. Entities have the numbers that the document gives them, or those of a new store (5.5.4)."""

    def __init__(self, model, given):
        self.entities, self.relationships, self.tables, self.indexes = {}, {}, [], {}
        numbers, entities = {}, list(self.depth_first(model, None))
        if given is None or not all(entity.name in given for entity in entities):
            given = {entity.name: number for number, entity in enumerate(entities, 1)}
        for entity in entities:
            columns = [Column(number, name, kind, is_optional) for number, (name, kind, is_optional) in enumerate(
                schemas.wanted_columns(model, entity), 1)]
            self.entities[given[entity.name]] = Layout(given[entity.name], entity.name, columns)
            self.relationships[entity.name] = {}
            for name, member in model.properties(entity).items():
                if isinstance(member, Relationship) and member.is_to_many and not member.is_transient:
                    key = model.declaring(entity, name).name, name
                    self.relationships[entity.name][name] = numbers.setdefault(key, len(numbers) + 1)
        self.by_name = {layout.name: layout for layout in self.entities.values()}
        for number, (_, flags, name, forward, backward) in enumerate(schemas.wanted_tables(self, model), max(self.entities, default=0) + 1):
            self.tables.append(LinkTable(number, flags, name, forward, backward))
        self.layouts = {**self.entities, **{table.number: table.layout for table in self.tables}}

    def depth_first(self, model, above):
        for name in sorted(model.subentities.get(above, []), key=str.lower):
            yield model.entities[name]
            yield from self.depth_first(model, name)


class PlainGraph(Graph):
    """A graph whose objects are dictionaries of values by column."""

    # In XML an object may belong to an owner whose list does not contain the object, and has no place then (5.3.6, 5.3.7).
    needs_places = False

    def __init__(self, rows, model, schema, report):
        super().__init__([], model, schema, report)
        self.rows = rows

    def value(self, rows, column, resolving=False):
        return rows.get(column.number)


class Store:
    def __init__(self, data, report):
        self.data, self.report = data, report
        self.open, self.seen, self.text, self.list = [], set(), [], None
        self.model = self.schema = self.uuid = self.object = self.property = None
        self.is_database = self.is_newer = False
        self.objects, self.rows, self.lists, self.values, self.highest = {}, {}, [], {}, 0
        self.object_count, self.mentioned, self.may_have_objects = 0, set(), True

    def add(self, rule, message):
        self.report.add(rule, message)

    def judge(self):
        parser, is_whole = models.new_parser(), True
        parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = self.start, self.end, self.characters
        parser.buffer_text = True
        try:
            models.feed(parser, self.data)
        except (xml.parsers.expat.ExpatError, ValueError, LookupError, Refused) as error:
            self.add("XMLS-001", str(error))
            is_whole = False
        if not self.is_database:
            self.report.findings.clear()
            self.report.error_count, self.report.format = 0, "unknownFormat"
            return self.add("FILE-001", "the root is no 'database'")
        if self.is_newer:
            self.report.format = "newerFormat"
        if is_whole and not self.is_newer:
            self.finish()
        return None

    # --- 5.2

    def place(self, tag):
        """Where in the grammar an element is."""
        above = self.open[-1] if self.open else None
        if above is None:
            self.is_database = tag == "database"
            return "database" if self.is_database else "unknown"
        if above == "database" and tag == "databaseInfo":
            if "databaseInfo" in self.seen or self.object_count:
                self.add("XMLS-004", "databaseInfo is there twice, or behind an object")
                return "unknown"
            self.seen.add(tag)
            return tag
        if above == "database" and tag == "object":
            if "databaseInfo" in self.seen:
                return tag
            if self.may_have_objects:
                self.add("XMLS-004", "an object stands before databaseInfo")
            self.may_have_objects = False
            return "unknown"
        if above == "databaseInfo" and tag in ("version", "UUID", "nextObjectID", "metadata"):
            if tag in self.seen:
                self.add("XMLS-004", f"'{tag}' is there twice")
                return "unknown"
            self.seen.add(tag)
            return tag
        if above == "metadata" and tag == "plist":
            if "plist" in self.seen:
                self.add("XMLS-008", "there are two property lists")
                return "unknown"
            self.seen.add(tag)
            return "list"
        if above == "list":
            return "list"
        if above == "object" and tag in ("attribute", "relationship"):
            return tag
        if above != "unknown":
            self.add("XMLS-002", f"there is no element '{tag}' here")
        return "unknown"

    def start(self, tag, attributes):
        place = self.place(tag)
        self.open.append(place)
        self.text = []
        if place == "list":
            element = Element(tag, attributes)
            if self.list is None:
                self.list = [element]
            else:
                self.list[-1].children.append(element)
                self.list.append(element)
        elif place == "object":
            self.judge_attributes(tag, attributes, ("id", "type"))
            self.object_count += 1
            self.start_object(attributes)
        elif place in ("attribute", "relationship"):
            self.judge_attributes(tag, attributes, ("name", "type") if place == "attribute" else ("name", "type", "destination", "idrefs"))
            self.start_property(attributes, place == "attribute")
        elif place != "unknown":
            self.judge_attributes(tag, attributes, ())

    def judge_attributes(self, tag, attributes, known):
        for name in attributes.keys() - set(known):
            self.add("XMLS-002", f"'{tag}' has no '{name}'")

    def characters(self, text):
        place = self.open[-1] if self.open else None
        if place in ("version", "UUID", "nextObjectID", "attribute"):
            self.text.append(text)
        elif place == "list":
            self.list[-1].text.append(text)
        elif place != "unknown" and text.strip(WHITE):
            self.add("XMLS-003", "there is other text")

    def end(self, tag):
        place, text = self.open.pop(), "".join(self.text)
        words = text.strip("".join(map(chr, range(33))))
        if place in ("version", "nextObjectID"):
            number = models.integer(words)
            if number is None or place == "nextObjectID" and number < 0:
                self.add("XMLS-005", f"'{place}' is not a number")
            elif place == "nextObjectID":
                self.highest = number
            elif number > 0x08FFFFFF:
                self.is_newer = True
                self.add("FILE-002", f"the version is {number}")
        elif place == "UUID":
            self.uuid = metadata.as_uuid(text.strip())
            if self.uuid is None:
                self.add("XMLS-006", "the UUID is none")
        elif place == "list":
            self.end_list()
        elif place == "databaseInfo":
            self.end_info()
        elif place == "object":
            self.object = None
        elif place == "attribute":
            self.end_attribute(text)
        self.text = []

    def end_list(self):
        element = self.list[-1]
        if len(self.list) > 1:
            self.list.pop()
            return
        self.list = None
        try:
            self.values = plist_value(element)
        except Refused as refused:
            self.add("XMLS-008", str(refused))
            return
        if not isinstance(self.values, dict):
            self.add("XMLS-008", "the metadata are not a dictionary")
            self.values = {}

    # --- 5.5

    def end_info(self):
        if "UUID" not in self.seen:
            self.add("XMLS-006", "there is no UUID")
        self.judge_values()
        metadata.judge_lanes(self.values, self.report)
        hashes = None
        if "NSStoreModelVersionHashes" in self.values:
            hashes = metadata.hashes_of(self.values)
            digest = self.values.get("NSStoreModelVersionHashesDigest")
            if hashes is None:
                self.add("META-006", "there are no hashes of 32 bytes")
            elif digest is not None and digest != models.digests_of(hashes)[0]:
                self.add("META-008", "the digest is another")
        if "QuireModel" not in self.values:
            self.report.unchecked.append("the document does not contain its model")
            return
        if not isinstance(self.values["QuireModel"], str):
            self.add("XMLS-009", "'QuireModel' is not text")
            return
        try:
            own = models.Model(self.values["QuireModel"].encode())
        except Refused as refused:
            self.add(refused.rule_of_model, str(refused))
            return
        metadata.judge_oddities(own, self.report)
        known = own.hashes()
        if hashes is not None:
            parts = [known, *({name: known[name] for name in names} for _, names in own.configurations)]
            if hashes not in parts:
                self.add("META-007", "the hashes are others than the model's")
        if self.judge_numbers():
            self.model, self.schema = own, ModelSchema(own, self.values.get("QuireEntityNumbers"))
            self.rows = {number: {} for number in self.schema.layouts}

    def judge_values(self):
        """5.5.3"""
        if "QuireValues" in self.values:
            try:
                is_list = isinstance(plist.read(self.values["QuireValues"]), dict)
            except (Refused, TypeError):
                is_list = False
            if not is_list:
                self.add("XMLS-009", "'QuireValues' is not a binary property list with names")

    def judge_numbers(self):
        """5.5.4"""
        numbers = self.values.get("QuireEntityNumbers")
        if numbers is None:
            return True
        found = list(numbers.values()) if isinstance(numbers, dict) else []
        highest = self.values.get("QuireHighestEntityNumber", 0)
        highest = highest if isinstance(highest, int) and 0 <= highest < 65536 else 0
        if all(isinstance(one, int) and 1 <= one <= highest for one in found) and len(set(found)) == len(found):
            return True
        self.add("XMLS-009", "the numbers of entities")
        return False

    # --- 5.3

    def start_object(self, attributes):
        self.object, self.mentioned = None, set()
        number = identifier(attributes.get("id", ""))
        if number is None:
            return self.add("XMLS-010", "an object has no identifier")
        if number in self.objects:
            return self.add("XMLS-011", f"z{number} is there twice")
        self.objects[number] = 0
        kind = attributes.get("type")
        if kind is None:
            return self.add("XMLS-012", f"z{number} has no type")
        if self.model is None:
            return None
        name = find(kind if unescaped(kind) is None else unescaped(kind), self.schema.by_name, upper)
        if name is None:
            return self.add("XMLS-012", f"the model has no entity '{kind}'")
        layout = self.schema.by_name[name]
        self.objects[number] = layout.number
        self.rows[layout.number][number] = {}
        self.object = layout, number
        return None

    def start_property(self, attributes, is_attribute):
        self.property = None
        if self.object is None:
            return None
        layout, number = self.object
        members = self.model.properties(self.model.entities[layout.name])
        names = {column.name for column in layout.columns if not column.name.endswith("#order")}
        names |= set(self.schema.relationships[layout.name])
        spelled = attributes.get("name")
        name = None if spelled is None else find(spelled if unescaped(spelled) is None else unescaped(spelled), names, lower)
        if name is None:
            return self.add("XMLS-013", f"'{layout.name}' has no property '{spelled}'")
        if name in self.mentioned:
            return self.add("XMLS-014", f"'{name}' is there twice")
        self.mentioned.add(name)
        member = members.get(name)
        if is_attribute == isinstance(member, Relationship):
            return self.add("XMLS-015", f"'{name}' is the other kind of property")
        self.property = name
        if not is_attribute and "idrefs" in attributes:
            self.note(layout, number, member, attributes["idrefs"])
        return None

    def note(self, layout, number, member, text):
        numbers = []
        for word in re.split("[\0-\x20]+", text):
            if word:
                found = identifier(word)
                if found is None:
                    self.add("XMLS-018", f"'{word}' is not an identifier")
                else:
                    numbers.append(found)
        self.lists.append((layout, number, member, numbers))

    def end_attribute(self, text):
        name, self.property = self.property, None
        if self.object is None or name is None:
            return None
        layout, number = self.object
        column = layout.by_name[name]
        if column.kind in (TEXT, URI):
            plain = unescaped(text)
            if plain is None:
                return self.add("XMLS-017", "an escape is half of a character")
            found = plain.encode()
        else:
            found = value(text, column.kind)
            if found is None:
                return self.add("XMLS-016", f"'{text[:40]}' is not a value of '{name}'")
        self.rows[layout.number][number][column.number] = found
        return None

    def finish(self):
        if "databaseInfo" not in self.seen:
            self.add("XMLS-004", "there is no databaseInfo")
        first, end = metadata.Lanes(self.values).counted()
        counted = [number for number in self.objects if first <= number < end]
        if "nextObjectID" in self.seen and max(counted, default=0) > self.highest:
            self.add("XMLS-007", "an object has a number above nextObjectID")
        if self.model is None:
            return
        self.resolve()
        PlainGraph(self.rows, self.model, self.schema, self.report).judge()

    # --- 5.3.5 to 5.3.7

    def targets(self, member, numbers):
        found, seen = [], set()
        for number in numbers:
            if number in seen:
                self.add("XMLS-019", f"z{number} is named twice")
                continue
            seen.add(number)
            if number not in self.objects:
                self.add("XMLS-020", f"z{number} is not in the document")
                continue
            entity = self.objects[number]
            if not entity:
                continue
            if not self.model.is_or_inherits(self.schema.entities[entity].name, member.destination):
                self.add("XMLS-021", f"z{number} is of another entity")
                continue
            found.append(entity << 48 | number)
        return found

    def cell(self, key):
        return self.rows[key >> 48][key & (1 << 48) - 1]

    def resolve(self):
        kept = []
        for layout, number, member, numbers in self.lists:
            targets = self.targets(member, numbers)
            if member.is_to_many:
                kept.append((layout, number, member, targets))
            elif len(numbers) > 1:
                self.add("XMLS-022", f"'{member.name}' names several objects")
            elif targets:
                self.rows[layout.number][number][layout.by_name[member.name].number] = targets[0]
        claimed, named, links = set(), set(), {}
        for layout, number, member, targets in kept:
            owner, inverse = layout.number << 48 | number, self.model.inverse(member)
            named |= {(owner, member.name, target) for target in targets}
            if inverse is not None and not inverse.is_to_many:
                self.join(owner, inverse, targets, claimed)
            else:
                self.link(layout, owner, member, targets, links)
        self.judge_sides(named)
        self.write_links(links)

    def join(self, owner, inverse, targets, claimed):
        for position, target in enumerate(targets, 1):
            layout, row = self.schema.entities[target >> 48], self.cell(target)
            column = layout.by_name.get(inverse.name)
            if column is None:
                continue
            other = row.get(column.number)
            if other is not None and other != owner:
                self.add("XMLS-024" if target in claimed else "XMLS-023", "two sides of a relationship differ")
                continue
            if other is None:
                row[column.number] = owner
                claimed.add(target)
            order = layout.by_name.get(f"{inverse.name}#order")
            if order is not None:
                row[order.number] = position

    def judge_sides(self, named):
        for layout, number, member, _ in self.lists:
            inverse = self.model.inverse(member)
            if member.is_to_many or inverse is None or not inverse.is_to_many:
                continue
            row, owner = self.rows[layout.number][number], layout.number << 48 | number
            target = row.get(layout.by_name[member.name].number)
            if target is None:
                continue
            if (target, inverse.name, owner) not in named:
                self.add("XMLS-023", "a list does not name an object")

    def link(self, layout, owner, member, targets, links):
        number = self.schema.relationships[layout.name][member.name]
        for table in self.schema.tables:
            ends = (table.forward, table.backward)
            is_end = [end is not None and end[0] == number and layout.number in end[1] for end in ends]
            if any(is_end):
                break
        for position, target in enumerate(targets, 1):
            is_forward = owner <= target if ends[0] == ends[1] else is_end[0]
            pair = (owner, target) if is_forward else (target, owner)
            links.setdefault((table.number, *pair), {})[3 if is_forward else 4] = position

    def write_links(self, links):
        tables = {table.number: table for table in self.schema.tables}
        for number, ((table, source, target), places) in enumerate(sorted(links.items(), key=lambda one: one[0]), 1):
            if source == target and tables[table].forward == tables[table].backward:
                # The object lists itself once, and the place is the one of both ends (3.2.4).
                places = {3: places[3], 4: places[3]}
            self.rows[table][number] = {1: source, 2: target, **places}
            if tables[table].backward is not None and source != target:
                for _ in range(2 - len(places)):
                    self.add("XMLS-025", "a link is written at one end only")
