"""Models (2): their XML (2.6), what holds of them (2.2) and version hashes (2.4)."""

import base64
import codecs
import hashlib
import re
import struct
import unicodedata
import xml.parsers.expat

import plist
from findings import Refused

# 2.3.1
TYPES = {
    "Undefined": 0, "Integer 16": 100, "Integer 32": 200, "Integer 64": 300, "Decimal": 400, "Double": 500, "Float": 600,
    "String": 700, "Boolean": 800, "Date": 900, "Binary": 1000, "UUID": 1100, "URI": 1200, "Transformable": 1800,
    "ObjectID": 2000, "Composite": 2100}
INTEGERS = {"Integer 16": 16, "Integer 32": 32, "Integer 64": 64}
REALS = {"Decimal", "Double", "Float"}

# 2.2.6: the functions, and the functions that are operators of key paths too.
FUNCTIONS = {"canonical", "uppercase", "lowercase", "count", "sum", "min", "max", "average"}
OPERATORS = {"@count": "count", "@sum": "sum", "@min": "min", "@max": "max", "@avg": "average", "@average": "average"}


def require(condition, clause, message):
    if not condition:
        raise Refused(clause, message)


def name_order(name):
    """2.4.2: names are compared by UTF-16 code units."""
    return name.encode("utf-16-be")


def is_name(text):
    """2.2.1. Python's identifiers are XID_Start or an underscore, and then XID_Continue."""
    # Python normalizes an identifier before it looks at it, so each character is tried alone.
    return (text != "" and text[0].isidentifier() and all(("a" + character).isidentifier() for character in text[1:]))


# --- 2.6: the XML -------------------------------------------------------------------------------


class Element:
    def __init__(self, tag, attributes):
        self.tag, self.attributes, self.children, self.text = tag, attributes, [], []

    def get(self, name, default=None):
        return self.attributes.get(name, default)


# 5.2.1: the encodings that a declaration may name in a text of single bytes.
ENCODINGS = {
    "UTF-8": "utf-8", "UTF8": "utf-8", "US-ASCII": "ascii", "ASCII": "ascii",
    "ISO-8859-1": "latin-1", "ISO_8859-1": "latin-1", "LATIN1": "latin-1"}
FIRST_BYTES = [
    (codecs.BOM_UTF8, "utf-8", 3), (codecs.BOM_UTF16_BE, "utf-16-be", 2), (codecs.BOM_UTF16_LE, "utf-16-le", 2),
    (b"\0<", "utf-16-be", 0), (b"<\0", "utf-16-le", 0)]


def in_utf8(data):
    """An XML text in UTF-8, up to the first bytes that its encoding does not have, and whether there are any (5.2.1)."""
    if data.startswith((codecs.BOM_UTF32_BE, codecs.BOM_UTF32_LE, b"\0\0\0<", b"<\0\0\0")):
        raise Refused("5.2.1", "XML in UTF-32 is not read")
    found, mark = next(((name, count) for start, name, count in FIRST_BYTES if data.startswith(start)), (None, 0))
    start = data[mark:4096]
    if found is not None and found.startswith("utf-16"):
        start = start[found.endswith("be")::2]
    declared = re.match(rb"<\?xml[ \t\r\n][^>]*?encoding[ \t\r\n]*=[ \t\r\n]*([\"'])([^>]*?)\1", start)
    encoding = found or "utf-8"
    if declared is not None:
        name = declared.group(2).decode("utf-8", "replace")
        if found is None or found == "utf-8":
            encoding = ENCODINGS.get(name.upper())
            is_read = encoding is not None and (found is None or encoding == "utf-8")
        else:
            is_read = name.upper() in ("UTF-16", found.upper().replace("-LE", "LE").replace("-BE", "BE"))
        require(is_read, "5.2.1", f"the encoding '{name}' is not read")
    if encoding == "utf-8":
        return data[mark:], False
    try:
        return data[mark:].decode(encoding).encode(), False
    except UnicodeDecodeError as error:
        return data[mark:mark + error.start].decode(encoding).encode(), True


def feed(parser, data):
    """Gives a parser the whole of an XML text."""
    text, is_broken = in_utf8(data)
    parser.Parse(text, not is_broken)
    require(not is_broken, "5.2.1", "the text has bytes that its encoding does not have")


def new_parser():
    """A parser of XML in UTF-8, without entities of its own and default attributes (5.2.1)."""
    def refuse(*_):
        raise Refused("5.2.1", "the XML declares or names an entity, or declares an attribute")

    def declaration(version, *_):
        require(re.fullmatch(r"1\.[0-9]+", version) is not None, "5.2.1", f"XML has no version '{version}'")
    parser = xml.parsers.expat.ParserCreate("UTF-8")
    parser.EntityDeclHandler = parser.SkippedEntityHandler = parser.AttlistDeclHandler = refuse
    parser.XmlDeclHandler = declaration
    return parser


def parse(data):
    """The elements of an XML text (2.6.1)."""
    parser, stack, root = new_parser(), [], []
    text_count = 0

    def start(tag, attributes):
        nonlocal text_count
        text_count = 0
        require(len(stack) < 64, "2.6.1", "the elements are more than 64 deep")
        element = Element(tag, attributes)
        (stack[-1].children if stack else root).append(element)
        stack.append(element)

    def end(_):
        nonlocal text_count
        text_count = 0
        stack.pop()

    def text(part):
        nonlocal text_count
        text_count += len(part.encode("utf-8", "surrogatepass"))
        require(text_count <= 1 << 24, "2.6.1", "a text is too long")
        stack[-1].text.append(part)

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
    try:
        feed(parser, data)
    except (xml.parsers.expat.ExpatError, ValueError, LookupError) as error:
        raise Refused("2.6.1", f"the XML cannot be read: {error}") from None
    return root[0]


def flag(element, name):
    text = element.get(name, "NO")
    require(text.upper() in ("YES", "TRUE", "1", "NO", "FALSE", "0"), "2.6.3", f"{name} is '{text}', which is not a flag")
    return text.upper() in ("YES", "TRUE", "1")


def integer(text):
    if text is None or not re.fullmatch(r"[+-]?[0-9]+", text, re.ASCII) or not -1 << 63 <= int(text) < 1 << 63:
        return None
    return int(text)


def count(element, name, default):
    text = element.get(name)
    if text is None:
        return default
    require(integer(text) is not None, "2.6.3", f"{name} is '{text}', which is not a number")
    return integer(text)


def required(element, name):
    require(element.get(name) is not None, "2.6.1", f"an element '{element.tag}' has no attribute '{name}'")
    return element.get(name)


def children(element, *tags):
    for child in element.children:
        require(child.tag in tags, "2.6.1", f"'{element.tag}' cannot contain '{child.tag}'")
        yield child


def empty(element):
    require(not element.children, "2.6.1", f"'{element.tag}' contains an element")


def value_of(text, kind):
    """2.6.7: a bound or a default; None where the text is none of the type."""
    if text is None:
        return None
    if kind == "Boolean":
        return {"YES": True, "TRUE": True, "1": True, "NO": False, "FALSE": False, "0": False}.get(text.upper())
    if kind in INTEGERS:
        return integer(text)
    if kind in REALS or kind == "Date":
        if kind == "Decimal" and text == "NaN":
            return float("nan")
        return float(text) if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text, re.ASCII) else None
    if kind in ("String", "URI"):
        return text
    if kind == "UUID":
        return text if re.fullmatch(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", text) else None
    if kind in ("Binary", "Transformable"):
        return plist.bytes_of_base64(text)
    return None


class Attribute:
    def __init__(self, element):
        self.name = required(element, "name")
        self.type = element.get("attributeType", "Undefined")
        require(self.type in TYPES, "2.6.6", f"'{self.name}' is of the unknown type '{self.type}'")
        self.is_optional = flag(element, "optional")
        self.is_transient = flag(element, "transient")
        self.composite = element.get("composite")
        is_derived = flag(element, "derived")
        self.expression = element.get("derivationExpression")
        require(self.expression is not None or not is_derived, "2.6.6", f"'{self.name}' is derived from nothing")
        self.least, self.greatest = self.value(element, "min"), self.value(element, "max")
        self.default = self.value(element, "default")
        self.pattern = element.get("regularExpressionString")
        self.is_external = flag(element, "allowsExternalBinaryDataStorage")
        self.is_preserved = flag(element, "preserveAfterDeletion")
        for name in ("indexed", "spotlightIndexingEnabled", "storedInTruthFile", "allowsCloudEncryption"):
            flag(element, name)
        self.modifier = element.get("versionHashModifier", "")
        notes = {}
        for child in children(element, "validationPredicate", "userInfo"):
            notes.update(note(child))
        self.is_day = self.type == "Date" and notes.get("quire.day") == "YES"
        self.places = None
        if self.type == "Decimal" and notes.get("quire.places") in map(str, range(39)):
            self.places = int(notes["quire.places"])

    def value(self, element, place):
        kind = "Integer 64" if self.type == "String" and place != "default" else self.type
        text = element.get(f"{place}DateTimeInterval") if self.type == "Date" else None
        return value_of(element.get(f"{place}ValueString") if text is None else text, kind)

    def digest(self, model, leaves_out_inverse=False):
        if self.expression is not None:
            return sha256(expression_text(self.expression), self.modifier)
        composite = b""
        if self.type == "Composite":
            parts = model.composites[self.composite]
            composite = b"".join(
                part.digest(model) for part in sorted(parts, key=lambda one: name_order(one.name))
                if not part.is_transient)
        return sha256(
            base(self), struct.pack("<i", TYPES[self.type]), b"\x01" * (self.is_external + self.is_preserved), composite)


class Relationship:
    def __init__(self, element):
        self.name = required(element, "name")
        self.destination = element.get("destinationEntity", "")
        self.inverse = element.get("inverseName")
        self.inverse_entity = element.get("inverseEntity")
        self.is_optional = flag(element, "optional")
        self.is_transient = flag(element, "transient")
        self.is_ordered = flag(element, "ordered")
        to_many = flag(element, "toMany")
        self.least = count(element, "minCount", 0)
        self.greatest = count(element, "maxCount", 0 if to_many else 1)
        rule = element.get("deletionRule", "Nullify")
        require(rule in ("Nullify", "Cascade", "Deny", "No Action"), "2.6.8", f"'{rule}' is not a delete rule")
        self.modifier = element.get("versionHashModifier", "")
        for child in children(element, "validationPredicate", "userInfo"):
            note(child)

    @property
    def is_to_many(self):
        return self.greatest != 1

    @property
    def keeps_order(self):
        return self.is_ordered and self.is_to_many

    def digest(self, _, leaves_out_inverse=False):
        return sha256(
            base(self), self.destination, "" if leaves_out_inverse else self.inverse or "", struct.pack("<ii", self.greatest, self.least),
            b"\x01\x00" if self.is_ordered else b"")


class Request:
    """2.6.10"""

    def __init__(self, element):
        self.name, self.entity = required(element, "name"), required(element, "entity")
        require(count(element, "resultType", 0) in (0, 1, 2, 4), "2.6.10", "a result type is not known")
        self.counts = [count(element, name, 0) for name in ("fetchLimit", "fetchOffset", "fetchBatchSize")]
        for name in ("includeSubentities", "includePropertyValues", "includesPendingChanges", "returnObjectsAsFaults",
                     "returnDistinctResults"):
            flag(element, name)
        for child in children(element, "sortKey"):
            required(child, "keyPath")
            flag(child, "descending")
            empty(child)


class Fetched:
    """2.6.9"""

    def __init__(self, element):
        self.name, self.is_transient = required(element, "name"), True
        flag(element, "optional")
        requests = []
        for child in children(element, "fetchRequest", "userInfo"):
            if child.tag == "userInfo":
                user_info(child)
            else:
                requests.append(Request(child))
        require(requests, "2.6.9", f"'{self.name}' has no request")
        self.request = requests[-1]


def note(element):
    """A validation predicate (2.2.9), which this reader does not evaluate, or a `userInfo`."""
    if element.tag == "userInfo":
        return user_info(element)
    required(element, "predicate")
    count(element, "code", 0)
    empty(element)
    return {}


def user_info(element):
    notes = {}
    for entry in children(element, "entry"):
        notes[required(entry, "key")] = entry.get("value", "")
        empty(entry)
    return notes


def name_lists(element, outer, inner):
    lists = []
    for one in children(element, outer):
        names = []
        for child in children(one, inner):
            names.append(required(child, "value"))
            empty(child)
        lists.append(names)
    return lists


class Entity:
    def __init__(self, element):
        self.name = required(element, "name")
        self.is_abstract = flag(element, "isAbstract")
        self.superentity = element.get("parentEntity")
        self.modifier = element.get("versionHashModifier", "")
        self.declared, self.properties = [], {}
        self.constraints, self.indexes, self.index_names, self.compounds = [], [], [], []
        kinds = {"attribute": Attribute, "relationship": Relationship, "fetchedProperty": Fetched}
        for child in children(
                element, *kinds, "fetchIndex", "compoundIndexes", "uniquenessConstraints", "userInfo"):
            if child.tag in kinds:
                self.declared.append(kinds[child.tag](child))
            elif child.tag == "fetchIndex":
                self.index_names.append(required(child, "name"))
                self.indexes.append(fetch_index(child))
            elif child.tag == "compoundIndexes":
                self.compounds += name_lists(child, "compoundIndex", "index")
            elif child.tag == "uniquenessConstraints":
                self.constraints += name_lists(child, "uniquenessConstraint", "constraint")
            else:
                user_info(child)
        for member in self.declared:
            self.properties.setdefault(member.name, member)


def fetch_index(element):
    """The elements of an index: for each its property, None for an expression, and whether its kind is FullText."""
    elements = []
    for child in children(element, "fetchIndexElement"):
        empty(child)
        path, expression = child.get("property"), child.get("expression")
        require(path is not None or expression is not None, "2.6.11", "an element of an index names no property")
        kind = child.get("type", "Binary")
        require(kind in ("Binary", "RTree", "FullText"), "2.6.11", f"'{kind}' is not a kind of index")
        elements.append((path if expression is None else None, kind == "FullText"))
    return elements


def base(member):
    """2.4.3."""
    return sha256(member.name, bytes([member.is_optional, 0]), member.modifier)


def sha256(*parts):
    return hashlib.sha256(b"".join(part.encode() if isinstance(part, str) else part for part in parts)).digest()


def expression_text(expression):
    """2.4.4: the one spelling of a derived attribute's expression."""
    expression = expression.strip()
    if expression == "now()":
        return expression
    if ":(" in expression:
        function, path = expression.split(":(", 1)
        return f"{function.strip()}:({path.rstrip(')').strip()})"
    names = expression.split(".")
    operators = [name for name in names if name in OPERATORS]
    if operators:
        path = ".".join(name for name in names if name not in OPERATORS)
        return f"{OPERATORS[operators[0]]}:({path})"
    return expression


class Model:
    def __init__(self, data=b"<model/>"):
        root = parse(data)
        require(root.tag == "model", "2.6.1", f"the root is '{root.tag}' and not 'model'")
        entities, composites, self.configurations, self.requests = [], [], [], []
        for element in children(root, "entity", "composite", "fetchRequest", "configuration", "elements"):
            if element.tag == "entity":
                entities.append(Entity(element))
            elif element.tag == "composite":
                composites.append((required(element, "name"), [Attribute(one) for one in children(element, "attribute")]))
            elif element.tag == "fetchRequest":
                self.requests.append(Request(element))
            elif element.tag == "configuration":
                members = list(children(element, "memberEntity"))
                self.configurations.append((required(element, "name"), [required(one, "name") for one in members]))
                for one in members:
                    empty(one)
        identifier = root.get("userDefinedModelVersionIdentifier")
        self.identifiers = [identifier] if identifier else []
        self.entities = {entity.name: entity for entity in reversed(entities)}
        self.composites = {name: parts for name, parts in reversed(composites)}
        self.subentities = {}
        for entity in entities:
            self.subentities.setdefault(entity.superentity, []).append(entity.name)
        # Parts that stores leave out, and that Core Data accepts (2.2.1, 2.2.3, 2.2.7).
        self.oddities = []
        self.check(entities, composites)

    # --- 2.2: rules for every model

    def check(self, entities, composites):
        self.check_names(entities, composites)
        require(len(entities) <= 65535, "2.2.4", "there are more than 65,535 entities")
        for entity in entities:
            self.check_inheritance(entity)
        require(sum(len(one.declared) for entity in entities for one in self.line(entity)[1:]) <= 4_194_304,
                "2.2.4", "the entities inherit too many properties")
        for name, parts in composites:
            for part in parts:
                self.check_attribute(part)
                require(part.expression is None, "2.2.5", f"'{name}.{part.name}' is derived")
            self.check_composite(name, [])
        for entity in entities:
            for member in entity.declared:
                if isinstance(member, Attribute):
                    self.check_attribute(member)
                    if member.expression is not None:
                        self.check_derivation(entity, member.expression)
                elif isinstance(member, Relationship):
                    self.check_relationship(entity, member)
                else:
                    self.check_request(member.request)
            for columns in entity.constraints:
                self.check_columns(entity, columns, False)
            for index in entity.indexes:
                self.check_index(entity, [path for path, _ in index])
                self.check_words(entity, [path for path, has_words in index if has_words and path is not None])
            for columns in entity.compounds:
                self.check_columns(entity, columns, True)
        for name, members in self.configurations:
            require(name and len(set(members)) == len(members), "2.2.1", f"the configuration '{name}' is none")
            require(all(one in self.entities for one in members), "2.2.7", f"'{name}' names an unknown entity")
        for request in self.requests:
            require(request.name, "2.2.1", "a request has no name")
            self.check_request(request)

    def check_names(self, entities, composites):
        def different(names, what):
            known = {unicodedata.normalize("NFC", name) for name in names}
            require(len(known) == len(names), "2.2.1", f"there are two {what} of one name")
        different([entity.name for entity in entities], "entities")
        different([name for name, _ in composites], "composite types")
        different([name for name, _ in self.configurations], "configurations")
        different([request.name for request in self.requests], "requests")
        names = [name for name, _ in self.configurations] + [request.name for request in self.requests]
        for owner, members in [(one.name, [p.name for p in one.declared]) for one in entities] + [
                (name, [part.name for part in parts]) for name, parts in composites]:
            different(members, f"properties of '{owner}'")
            for name in [owner, *members]:
                require(is_name(name), "2.2.1", f"'{name}' is not a name")
            names += [owner, *members]
        for entity in entities:
            if len({unicodedata.normalize("NFC", name) for name in entity.index_names}) < len(entity.index_names):
                self.oddities.append(f"there are two indexes of '{entity.name}' of one name")
            names += entity.index_names
        require(all(len(name.encode()) <= 1000 for name in names), "2.2.4", "a name has more than 1,000 bytes")

    def check_composite(self, name, above):
        require(name not in above, "2.2.5", f"the composite type '{name}' contains itself")
        for part in self.composites[name]:
            if part.composite in self.composites:
                self.check_composite(part.composite, [*above, name])

    def check_request(self, request):
        require(request.entity in self.entities, "2.2.7", f"a request is for the unknown entity '{request.entity}'")
        require(min(request.counts) >= 0, "2.6.10", "a limit of a request is negative")

    def check_index(self, entity, paths):
        """2.2.7: an element over an expression has no path."""
        columns = [path for path in paths if path is not None]
        if len(columns) < len(paths):
            self.oddities.append(f"an index of '{entity.name}' is over an expression")
        if columns or not paths:
            self.check_columns(entity, columns, True)

    def check_words(self, entity, columns):
        """2.2.7: check_columns has judged the columns before."""
        for column in columns:
            first, *rest = [name for name in column.split(".") if name] or [""]
            member = self.properties(entity).get(first)
            if member is None or isinstance(member, Relationship) and member.is_to_many:
                continue
            for name in rest:
                member = {part.name: part for part in self.composites[member.composite]}[name]
            if isinstance(member, Relationship) or member.type != "String":
                self.oddities.append(f"an index of '{entity.name}' is for the words of '{column}', which is not text")

    def check_columns(self, entity, columns, is_index):
        require(columns, "2.2.7", f"a constraint or an index of '{entity.name}' names no property")
        for column in columns:
            first, *rest = [name for name in column.split(".") if name] or [""]
            member = self.properties(entity).get(first)
            if is_index and (member is None and column in ("self", "entity") or not rest and isinstance(
                    member, Relationship) and not member.is_transient and member.is_to_many):
                self.oddities.append(f"an index of '{entity.name}' names '{column}'")
                continue
            fits = member is not None and not isinstance(member, Fetched)
            if fits and isinstance(member, Relationship):
                fits = not member.is_transient and not member.is_to_many and not rest
            for name in rest if fits else []:
                parts = {part.name: part for part in self.composites.get(member.composite, [])}
                member = parts.get(name)
                if member is None:
                    fits = False
                    break
            require(fits and not member.is_transient, "2.2.7", f"'{entity.name}' has no stored property '{column}'")

    def check_derivation(self, entity, expression):
        """2.2.6: the path leads to an attribute, or for `count` to a to-many relationship."""
        text = expression_text(expression)
        if text == "now()":
            return
        function, path = text[:-1].split(":(", 1) if ":(" in text else ("", text)
        require(function == "" or function in FUNCTIONS, "2.2.6", f"'{function}' is not a function")
        end, to_many = None, False
        for name in path.split("."):
            if isinstance(end, Attribute):
                end = next((one for one in self.composites.get(end.composite, []) if one.name == name), None)
                require(end is not None, "2.2.6", f"'{name}' in '{text}' is not a part")
                continue
            end = self.properties(entity).get(name)
            require(isinstance(end, (Attribute, Relationship)), "2.2.6", f"'{text}' leads nowhere")
            if isinstance(end, Relationship):
                to_many = to_many or end.is_to_many
                entity = self.entities.get(end.destination)
                require(entity is not None, "2.2.3", f"the destination of '{name}' is not in the model")
        is_attribute = isinstance(end, Attribute)
        fits = {
            "": is_attribute and not to_many, "count": not is_attribute and to_many,
            "sum": is_attribute and to_many, "average": is_attribute and to_many,
            "min": is_attribute and to_many, "max": is_attribute and to_many,
        }.get(function, is_attribute and end.type == "String" and not to_many)
        if function in ("sum", "average"):
            fits = fits and (end.type in INTEGERS or end.type in REALS)
        require(fits, "2.2.6", f"'{text}' leads to no property that it is for")

    def line(self, entity):
        """The entity and the entities above it, the nearest first."""
        line = [entity]
        while line[-1].superentity is not None:
            above = self.entities.get(line[-1].superentity)
            require(above is not None, "2.2.2", f"the superentity '{line[-1].superentity}' is not in the model")
            require(above not in line, "2.2.2", f"'{entity.name}' inherits from itself")
            require(len(line) <= 100, "2.2.4", f"'{entity.name}' has more than 100 entities above it")
            line.append(above)
        return line

    def family(self, name):
        """The entity of a name and all that inherit from it."""
        found = [name]
        for one in found:
            found += self.subentities.get(one, [])
        return found

    def is_or_inherits(self, name, other):
        entity = self.entities.get(name)
        return entity is not None and any(one.name == other for one in self.line(entity))

    def properties(self, entity):
        """The properties of an entity, inherited ones included, by name."""
        return {name: member for one in reversed(self.line(entity)) for name, member in one.properties.items()}

    def declaring(self, entity, name):
        """The entity that declares a property which an entity has."""
        return next(one for one in self.line(entity) if name in one.properties)

    def inverse(self, relationship):
        destination = self.entities.get(relationship.destination)
        if destination is None or relationship.inverse is None:
            return None
        found = self.properties(destination).get(relationship.inverse)
        return found if isinstance(found, Relationship) else None

    def check_inheritance(self, entity):
        for above in self.line(entity)[1:]:
            both = entity.properties.keys() & above.properties.keys()
            require(not both, "2.2.2", f"'{entity.name}' declares what it inherits: {sorted(both)}")
        require(len(self.properties(entity)) <= 60000, "2.2.4", f"'{entity.name}' has more than 60,000 properties")

    def check_relationship(self, entity, relationship):
        place = f"'{entity.name}.{relationship.name}'"
        destination = self.entities.get(relationship.destination)
        require(destination is not None, "2.2.3", f"the destination of {place} is not in the model")
        least, greatest = relationship.least, relationship.greatest
        require(0 <= least < 1 << 31 and -1 <= greatest < 1 << 31, "2.2.3", f"a count of {place} is out of range")
        require(greatest <= 0 or least <= greatest, "2.2.3", f"the least count of {place} is above the greatest")
        if relationship.is_ordered and not relationship.is_to_many:
            self.oddities.append(f"{place} is ordered and leads to one object")
        if relationship.inverse is None:
            return
        inverse = self.inverse(relationship)
        require(inverse is not None and inverse.inverse == relationship.name and inverse.destination in self.entities
                and self.is_or_inherits(inverse.destination, entity.name),
                "2.2.3", f"the inverse of {place} does not fit")
        if relationship.inverse_entity is not None:
            named = self.entities.get(relationship.inverse_entity)
            declaring = self.declaring(destination, relationship.inverse)
            require(named is not None and self.is_or_inherits(destination.name, named.name)
                    and self.is_or_inherits(named.name, declaring.name), "2.6.8", f"the inverse entity of {place} does not fit")

    def check_attribute(self, member):
        """2.2.5"""
        place = f"'{member.name}'"
        require(member.is_transient or member.type not in ("Undefined", "ObjectID"), "2.2.5", f"{place} is stored without a type")
        require(member.pattern is None or member.type == "String", "2.2.5", f"{place} has a pattern and is not text")
        if member.pattern is not None:
            try:
                re.compile(member.pattern)
            except re.error:
                raise Refused("2.2.5", f"the pattern of {place} is none") from None
        require((member.type == "Composite") == (member.composite is not None), "2.2.5", f"{place} and composites")
        require(member.composite is None or member.composite in self.composites, "2.2.5", f"{place} is of an unknown composite")
        if member.type in INTEGERS:
            limit = 1 << INTEGERS[member.type] - 1
            for one in (member.least, member.greatest, member.default):
                require(one is None or -limit <= one < limit, "2.2.5", f"a value of {place} is out of range")
        bounds = [one for one in (member.least, member.greatest) if one is not None]
        bounded = member.type in INTEGERS or member.type in REALS or member.type in ("Date", "String")
        require(bounded or not bounds, "2.2.5", f"{place} has bounds")
        require(member.type != "String" or all(one >= 0 for one in bounds), "2.2.5", f"a bound of {place} is negative")
        require(len(bounds) < 2 or not bounds[0] > bounds[1], "2.2.5", f"the bounds of {place} are crossed")

    # --- 2.4: version hashes

    def hashes(self):
        """2.4.6: the version hash of each entity, by name."""
        digests, hashes = {}, {}
        for entity in self.entities.values():
            for one in reversed(self.line(entity)):
                if one.name not in hashes:
                    hashes[one.name] = self.entity_hash(one, hashes, digests)
        return hashes

    def entity_hash(self, entity, hashes, digests):
        parts = []
        for name, member in sorted(self.properties(entity).items(), key=lambda pair: name_order(pair[0])):
            if not member.is_transient:
                if member not in digests:
                    digests[member] = member.digest(self, self.is_own_inverse(member))
                parts.append(digests[member])
        texts = [".".join(columns) for columns in entity.constraints]
        return sha256(
            entity.name, bytes([entity.is_abstract]), hashes[entity.superentity] if entity.superentity is not None else b"",
            *parts, entity.modifier, *sorted(texts, key=name_order))

    def is_own_inverse(self, member):
        """2.4.3: whether the property that the inverse names at the destination is the relationship itself."""
        if not isinstance(member, Relationship) or member.inverse != member.name or member.destination not in self.entities:
            return False
        return self.properties(self.entities[member.destination]).get(member.inverse) is member


def digests_of(hashes):
    """2.4.7: the digest and the checksum of all hashes."""
    names = sorted(hashes, key=name_order)
    digest = hashlib.sha512(b"".join(name.encode() + hashes[name] for name in names)).digest()
    checksum = hashlib.sha256(b"".join(hashes[name] for name in names)).digest()
    return base64.b64encode(digest).decode(), base64.b64encode(checksum).decode()
