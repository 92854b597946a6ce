"""Changes the metadata or the model of a block file.

A mutant has one commit more than its source, with right checksums. This commit refers to the changed section.
"""

import os
import plistlib
import re
import struct
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "spec/reference"))
import blockfile  # noqa: E402
from findings import align, crc32c  # noqa: E402

METADATA, MODEL = 48, 64  # The places of their references in a record (4.4.1).
WORDS = {
    b"name": [b"nane", b"title"], b"YES": [b"NO", b"MAYBE"], b"String": [b"Strong", b"Date"], b"entity": [b"entry"],
    b"Integer 16": [b"Integer 32", b"Integer 17"], b"<": [b"", b"<<", b"&"], b'"': [b"", b"'"], b"optional": [b"transient"],
    b"uniquenessConstraints": [b"compoundIndexes"]}


def with_section(data, place, section):
    """Returns the file with one commit more, whose reference at a place of the record leads to a new section."""
    trailer = len(data) - 48
    record_count, = struct.unpack_from("<I", data, trailer + 24)
    record_offset = trailer - record_count & ~7
    record = bytearray(data[record_offset:record_offset + record_count])
    start = align(len(data))
    result = bytearray(data) + bytes(start - len(data)) + section
    result += bytes(-len(result) % 8)
    number, = struct.unpack_from("<q", record, 8)
    struct.pack_into("<q", record, 8, number + 1)
    live, = struct.unpack_from("<Q", record, 40)
    former_count, = struct.unpack_from("<I", record, place + 8)
    struct.pack_into("<QQQ", record, 24, trailer, start, live - former_count + len(section))
    if place == MODEL:
        struct.pack_into("<q", record, 96, number + 1)
    struct.pack_into("<QII", record, place, start, len(section), crc32c(section))
    result += record
    result += bytes(-len(result) % 8)
    end = struct.pack(
        "<4sI8sQIII", b"QEND", 0, data[32:40], len(result), len(record), crc32c(bytes(record)), crc32c(bytes(result[start:])))
    return bytes(result + end + struct.pack("<I8x", crc32c(end)))


def changed_metadata(source, section):
    values = plistlib.loads(section)
    key = source.choice([
        "NSStoreUUID", "NSStoreType", "NSStoreModelVersionHashes", "NSStoreModelVersionHashes",
        "NSStoreModelVersionHashesDigest", "NSStoreModelVersionIdentifiers"])
    kind = source.randrange(6)
    if kind == 0:
        values.pop(key, None)
    elif kind == 1:
        values[key] = source.choice([0, True, 1.5, "", "text", b"", bytes(32), [], {}, {"A": bytes(32)}, {"A": "text"}])
    elif kind == 2 and key == "NSStoreModelVersionHashes":
        name = source.choice(sorted(values[key]))
        values[key][name] = source.choice([bytes(32), values[key][name][:31], values[key][name] + b"\0", "text"])
    elif kind == 3 and key == "NSStoreModelVersionHashes":
        name = source.choice(sorted(values[key]))
        values[key][name + source.choice(["2", "é"])] = values[key].pop(name) if source.random() < 0.5 else bytes(32)
    elif isinstance(values.get(key), str) and values[key]:
        place = source.randrange(len(values[key]))
        text = values[key]
        values[key] = source.choice([
            text.lower(), text[:place] + source.choice("0aZé") + text[place + 1:], text[:place], f"{{{text}}}"])
    else:
        values["Application"] = source.choice(["text", 1, [1, {"a": b"b"}]])
    return plistlib.dumps(values, fmt=plistlib.FMT_BINARY, sort_keys=False)


# Parts that a model may contain, and parts that it may not (2.2.7, 2.2.9, 2.6.6, 2.6.11).
PARTS = {
    rb"(<(attribute|relationship)\b[^>]*)/>": [
        rb'\1><validationPredicate predicate="TRUEPREDICATE"/></\2>', rb'\1><validationPredicate message="m"/></\2>',
        rb'\1><validationPredicate predicate="TRUEPREDICATE" message="m" code="1"/><userInfo/></\2>',
        rb'\1><validationPredicate predicate="TRUEPREDICATE" code="m"/></\2>',
        rb'\1 validationPredicates="TRUEPREDICATE"/>', rb'\1 ordered="YES"/>'],
    rb"<entity\b[^>]*[^/]>": [
        rb'\g<0><fetchIndex name="x"><fetchIndexElement ' + part + rb'/></fetchIndex>'
        for part in (rb'property="self"', rb'property="entity"', rb'property="self.x"', rb'property="none"', rb'expression="1 + 1"',
                     rb'property="none" expression="1"', rb'type="RTree"', rb'property="name" type="FullText"', rb'property="stops"',
                     rb'property="stars" type="FullText"', rb'property="trip" type="FullText"', rb'property="notes" order="descending"')] + [
        rb'\g<0><fetchIndex name="x"/>', rb'\g<0><compoundIndexes><compoundIndex><index value="self"/></compoundIndex></compoundIndexes>',
        rb'\g<0><fetchIndex name="x"><fetchIndexElement property="self"/></fetchIndex>'
        rb'<fetchIndex name="x"><fetchIndexElement property="entity"/></fetchIndex>',
        rb'\g<0><uniquenessConstraints><uniquenessConstraint><constraint value="self"/></uniquenessConstraint></uniquenessConstraints>']}


def with_part(source, section):
    pattern = source.choice(sorted(PARTS))
    found = list(re.finditer(pattern, section))
    if not found:
        return section
    place = source.choice(found)
    return section[:place.start()] + place.expand(source.choice(PARTS[pattern])) + section[place.end():]


def changed_model(source, section):
    if source.random() < 0.4:
        return with_part(source, section)
    word = source.choice([word for word in WORDS if word in section])
    place = source.choice([match.start() for match in re.finditer(re.escape(word), section)])
    return section[:place] + source.choice(WORDS[word]) + section[place + len(word):]


def mutant(source, data):
    file = blockfile.File(data)
    if source.random() < 0.7:
        return with_section(data, METADATA, changed_metadata(source, file.section("metadata")))
    return with_section(data, MODEL, changed_model(source, file.section("model")))
