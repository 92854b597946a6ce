#!/usr/bin/env python3
"""Reads a model as chapter 2 of this specification says, and prints the version hash of each entity.

    model.py PATH

PATH is the XML of a model, the `.xcdatamodel` folder with this XML in its file `contents`, or a block file, which contains its
model. Output: a line for each entity, its name and its hash. The program was written from the specification alone and needs
the standard library only. It refuses a model that breaks clauses 2.2.1 to 2.2.4 and names the clause. It does not check all of
2.2.5 to 2.2.7: bounds, defaults, functions, and the entities of configurations and requests are left out.
"""

import base64
import hashlib
import os
import struct
import sys
import unicodedata
import xml.etree.ElementTree
import xml.parsers.expat

# 2.3.1
TYPES = {
    "Undefined": 0, "Integer 16": 100, "Integer 32": 200, "Integer 64": 300, "Decimal": 400, "Double": 500, "Float": 600,
    "String": 700, "Boolean": 800, "Date": 900, "Binary": 1000, "UUID": 1100, "URI": 1200, "Transformable": 1800,
    "ObjectID": 2000, "Composite": 2100}

# 2.2.6: the functions that are operators of key paths too.
OPERATORS = {"@count": "count", "@sum": "sum", "@min": "min", "@max": "max", "@avg": "average", "@average": "average"}


class Refused(Exception):
    """A model that a reader must refuse."""

    def __init__(self, clause, message):
        super().__init__(f"{message} (spec §{clause})")
        self.clause = clause


def require(condition, clause, message):
    if not condition:
        raise Refused(clause, message)


def name_order(name):
    """2.4.2: names are compared by UTF-16 code units."""
    return name.encode("utf-16-be")


def is_name(text):
    """2.2.1. Python's identifiers are XID_Start or an underscore, and then XID_Continue."""
    # Python normalizes an identifier before it looks at it, so each character is tried alone.
    return (text != "" and (text[0] == "_" or text[0].isidentifier() and unicodedata.category(text[0]) != "Nl")
            and all(("a" + character).isidentifier() for character in text[1:]))


def flag(element, name):
    text = element.get(name, "NO")
    require(text.upper() in ("YES", "TRUE", "1", "NO", "FALSE", "0"), "2.1.5", f"{name} is '{text}', which is no flag")
    return text.upper() in ("YES", "TRUE", "1")


def count(element, name, default):
    text = element.get(name)
    if text is None:
        return default
    try:
        number = int(text)
    except ValueError:
        raise Refused("2.1.5", f"{name} is '{text}', which is no number") from None
    require(-1 << 63 <= number < 1 << 63, "2.1.5", f"{name} is {text}, which has more than 64 bits")
    return number


def required(element, name):
    require(element.get(name) is not None, "2.1.5", f"an element '{element.tag}' has no attribute '{name}'")
    return element.get(name)


class Attribute:
    def __init__(self, element):
        self.name = required(element, "name")
        self.is_transient = flag(element, "transient")
        self.is_optional = flag(element, "optional")
        self.modifier = element.get("versionHashModifier", "")
        self.type = element.get("attributeType", "Undefined")
        require(self.type in TYPES, "2.1.5", f"'{self.name}' is of the unknown type '{self.type}'")
        self.composite = element.get("composite")
        self.is_external = flag(element, "allowsExternalBinaryDataStorage")
        self.is_preserved = flag(element, "preserveAfterDeletion")
        self.pattern = element.get("regularExpressionString")
        self.expression = element.get("derivationExpression") if flag(element, "derived") else None

    def digest(self, model):
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
        self.is_transient = flag(element, "transient")
        self.is_optional = flag(element, "optional")
        self.modifier = element.get("versionHashModifier", "")
        self.destination = element.get("destinationEntity", "")
        self.inverse = element.get("inverseName")
        self.is_ordered = flag(element, "ordered")
        self.least = count(element, "minCount", 0)
        self.greatest = count(element, "maxCount", 0 if flag(element, "toMany") else 1)

    def digest(self, _):
        return sha256(
            base(self), self.destination, self.inverse or "", struct.pack("<ii", self.greatest, self.least),
            b"\x01\x00" if self.is_ordered else b"")


class Entity:
    def __init__(self, element):
        self.name = required(element, "name")
        self.is_abstract = flag(element, "isAbstract")
        self.superentity = element.get("parentEntity")
        self.modifier = element.get("versionHashModifier", "")
        self.relationships = {}
        self.properties = {}
        self.fetched = set()
        for child in element:
            if child.tag == "attribute":
                self.add(Attribute(child))
            elif child.tag == "relationship":
                self.add(Relationship(child))
            elif child.tag == "fetchedProperty":
                self.fetched.add(required(child, "name"))
        self.constraints = [
            [required(column, "value") for column in constraint]
            for constraint in element.findall("uniquenessConstraints/uniquenessConstraint")]
        self.indexes = []
        for index in element.findall("fetchIndex"):
            required(index, "name")
            elements = index.findall("fetchIndexElement")
            require(elements, "2.2.7", f"an index of '{self.name}' names no property")
            self.indexes.append([one.get("property") for one in elements if one.get("expression") is None])

    def add(self, member):
        require(is_name(member.name), "2.2.1", f"'{member.name}' is no name of a property")
        require(member.name not in self.properties, "2.2.1", f"'{self.name}' has two properties '{member.name}'")
        self.properties[member.name] = member
        if isinstance(member, Relationship):
            self.relationships[member.name] = member


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
    def __init__(self, data):
        root = parse(data)
        require(root.tag == "model", "2.1.5", f"the root is '{root.tag}' and not 'model'")
        self.entities = {}
        self.composites = {}
        for element in root.findall("composite"):
            name = required(element, "name")
            require(name not in self.composites, "2.2.1", f"there are two composite types '{name}'")
            self.composites[name] = [Attribute(child) for child in element.findall("attribute")]
        for tag, attributes in (("fetchRequest", ["name", "entity"]), ("configuration", ["name"]), ("memberEntity", ["name"])):
            for element in root.iter(tag):
                for attribute in attributes:
                    required(element, attribute)
        for element in root.findall("entity"):
            entity = Entity(element)
            require(is_name(entity.name), "2.2.1", f"'{entity.name}' is no name of an entity")
            require(entity.name not in self.entities, "2.2.1", f"there are two entities '{entity.name}'")
            self.entities[entity.name] = entity
        require(len(self.entities) <= 65535, "2.2.4", "there are more than 65,535 entities")
        for entity in self.entities.values():
            self.check_inheritance(entity)
        for entity in self.entities.values():
            for relationship in entity.relationships.values():
                self.check_relationship(entity, relationship)
            for member in entity.properties.values():
                self.check_attribute(member)
                if isinstance(member, Attribute) and member.expression is not None and not member.is_transient:
                    self.check_derivation(entity, expression_text(member.expression))
            require(all(entity.constraints), "2.2.7", f"a constraint of '{entity.name}' names no property")
            for columns in entity.constraints + entity.indexes:
                for column in columns:
                    require(self.is_stored(entity, column), "2.2.7", f"'{entity.name}' has no stored property '{column}'")

    def check_derivation(self, entity, text):
        """2.2.6: the path leads to an attribute, or for `count` to a to-many relationship."""
        if text == "now()":
            return
        function, path = text[:-1].split(":(", 1) if ":(" in text else ("", text)
        *way, last = path.split(".")
        for name in way:
            step = self.properties(entity).get(name)
            require(isinstance(step, Relationship), "2.2.6", f"'{name}' in '{text}' is no relationship")
            entity = self.entities.get(step.destination)
            require(entity is not None, "2.2.3", f"the destination of '{name}' is not in the model")
        end = self.properties(entity).get(last)
        if function == "count":
            fits = isinstance(end, Relationship) and end.greatest != 1
        else:
            fits = isinstance(end, Attribute)
        require(fits, "2.2.6", f"'{text}' leads to no property that it is for")

    def is_stored(self, entity, path):
        """2.2.7: whether a path names a stored property, or an attribute within composites."""
        members, names = self.properties(entity), (path or "").split(".")
        for place, name in enumerate(names):
            member = members.get(name)
            if member is None or member.is_transient:
                return False
            if place + 1 < len(names):
                if not isinstance(member, Attribute) or member.composite not in self.composites:
                    return False
                members = {part.name: part for part in self.composites[member.composite]}
        return True

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

    def properties(self, entity):
        """The properties of an entity, inherited ones included, by name."""
        return {name: member for one in reversed(self.line(entity)) for name, member in one.properties.items()}

    def check_inheritance(self, entity):
        for above in self.line(entity)[1:]:
            both = entity.properties.keys() & above.properties.keys()
            require(not both, "2.2.2", f"'{entity.name}' declares what it inherits: {sorted(both)}")
        require(len(self.properties(entity)) <= 60000, "2.2.4", f"'{entity.name}' has more than 60,000 properties")
        for name in [entity.name, *entity.properties]:
            require(len(name.encode()) <= 1000, "2.2.4", "a name has more than 1,000 bytes")

    def check_relationship(self, entity, relationship):
        place = f"'{entity.name}.{relationship.name}'"
        destination = self.entities.get(relationship.destination)
        require(destination is not None, "2.2.3", f"the destination of {place} is not in the model")
        greatest = 0 if relationship.greatest == -1 else relationship.greatest
        require(greatest >= 0 and relationship.least >= 0, "2.2.3", f"a count of {place} is negative")
        require(not greatest or relationship.least <= greatest, "2.2.3", f"the least count of {place} is above the greatest")
        if relationship.inverse:
            inverse = self.properties(destination).get(relationship.inverse)
            fits = (isinstance(inverse, Relationship) and inverse.inverse == relationship.name
                    and inverse.destination in self.entities
                    and entity in self.line(self.entities[inverse.destination]))
            require(fits, "2.2.3", f"the inverse of {place} does not fit")

    def check_attribute(self, member):
        if isinstance(member, Attribute) and member.pattern is not None:
            require(member.type == "String", "2.2.5", f"'{member.name}' has a pattern and is no text")
        if isinstance(member, Attribute) and not member.is_transient:
            require(member.type not in ("Undefined", "ObjectID"), "2.2.5", f"'{member.name}' is stored and has no type")
            require(member.type != "Composite" or member.composite in self.composites, "2.2.5",
                    f"the composite type of '{member.name}' is not in the model")

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
                    digests[member] = member.digest(self)
                parts.append(digests[member])
        return sha256(
            entity.name, bytes([entity.is_abstract]), hashes[entity.superentity] if entity.superentity is not None else b"",
            *parts, *(".".join(columns) for columns in entity.constraints), entity.modifier)


def digests_of(hashes):
    """2.4.7: the digest and the checksum of all hashes."""
    names = sorted(hashes, key=name_order)
    digest = hashlib.sha512(b"".join(name.encode() + hashes[name] for name in names)).digest()
    checksum = hashlib.sha256(b"".join(hashes[name] for name in names)).digest()
    return base64.b64encode(digest).decode(), base64.b64encode(checksum).decode()


def parse(data):
    """XML without entities of its own (5.2.1)."""
    parser, builder = xml.parsers.expat.ParserCreate(), xml.etree.ElementTree.TreeBuilder()

    def refuse(*_):
        raise Refused("5.2.1", "the XML declares an entity")

    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    try:
        parser.Parse(data, True)
        return builder.close()
    except (xml.parsers.expat.ExpatError, ValueError, LookupError) as error:
        raise Refused("2.1.5", f"the XML cannot be read: {error}") from None


def read(path):
    if os.path.isdir(path):
        path = os.path.join(path, "contents")
    with open(path, "rb") as source:
        data = source.read()
    if data[:8] == b"QRBLOCKS":
        import blockfile
        data = blockfile.File(data).section(64)
    return Model(data)


def main():
    for name, value in sorted(read(sys.argv[1]).hashes().items(), key=lambda pair: name_order(pair[0])):
        print(name, value.hex())


if __name__ == "__main__":
    try:
        main()
    except Refused as refused:
        sys.exit(f"refused: {refused}")
