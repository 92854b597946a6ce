"""The identity of a version (7.7.9)."""

import hashlib
import uuid as uuids

from schema import REFERENCE, word


def value_word(value, kind, entities):
    """The word for a value, as in 4.9, but for references; `entities` are the layouts of the entities by number."""
    if kind == REFERENCE:
        return f"{entities[value >> 48].name}/{value & (1 << 48) - 1}"
    return word(value, kind)


OTHER_END = {"source": "target", "target": "source", "source#order": "target#order", "target#order": "source#order"}


def row_lines(graph):
    """Yields the line of each row, of objects and of links."""
    for number in graph.schema.layouts:
        for key, row in graph.rows[number].items():
            yield row_line(graph, number, key, row)


def row_line(graph, number, key, row):
    """The line of a row, whose key counts for an object only."""
    layout, table = graph.schema.layouts[number], next((one for one in graph.schema.tables if one.number == number), None)
    derived = derived_columns(graph, layout)
    values = {column.name: (graph.value(row, column, True), column.kind) for column in layout.columns if column.name not in derived}
    words = {name: value_word(value, kind, graph.schema.entities) for name, (value, kind) in values.items() if value is not None}
    start, words = link_line(graph, table, words) if table else (f"{layout.name} {key}", words)
    return " ".join([start, *(f"{name}={words[name]}" for name in sorted(words, key=str.encode))])


def derived_columns(graph, layout):
    """The names of the columns of derived attributes, which a composite type has none of (2.2.5)."""
    entity = graph.model.entities.get(layout.name)
    properties = graph.model.properties(entity) if entity is not None else {}
    return {name for name, member in properties.items() if getattr(member, "expression", None) is not None}


def link_line(graph, table, words):
    """The name of the relationship of a link whose name comes first, and the values as it sees them."""
    names = [name_of(graph, end) for end in (table.forward, table.backward) if end]
    if len(names) == 1:
        return names[0], words
    is_turned = words["target"].encode() < words["source"].encode() if table.forward == table.backward else names[1].encode() < names[0].encode()
    return min(names, key=str.encode), {OTHER_END[name]: word for name, word in words.items()} if is_turned else words


def name_of(graph, end):
    entity, member = next(iter(graph.relationships(end).items()))
    return f"{entity}.{member.name}"


def number_of(line):
    """The number that a line adds to the sum of its store."""
    return int.from_bytes(hashlib.sha256(line.encode()).digest(), "little")


def text_of(total):
    """The sum of a store as text."""
    return (total % (1 << 256)).to_bytes(32, "little").hex()


def sum_of(lines):
    return text_of(sum(map(number_of, lines)))


def digest(version, hashes, sums, attachments):
    """The identity of a version with `saved`, `author` and `message`.

    `hashes` are those of its model, `sums` those of its stores by UUID, in capital letters, and `attachments` the members of its attachments.
    """
    lines = ["quire-version 1", f"saved {version['saved']}"]
    lines += [f"{name} {version[name].encode().hex()}" for name in ("author", "message") if version.get(name) is not None]
    lines += [f"entity {name} {hashes[name].hex()}" for name in sorted(hashes, key=str.encode)]
    lines += [f"store {uuid} {sums[uuid]}" for uuid in sorted(sums)]
    for one in sorted(attachments, key=lambda one: (bool(one.get("content")), one["name"].encode())):
        lines.append(f"{'content' if one.get('content') else 'attachment'} {one['name'].encode().hex()} {one['digest']}")
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def of_newest(manifest, graphs):
    """The identity of the newest version of a head, whose stores have these graphs by UUID."""
    version = manifest.details[manifest.versions[-1]]
    hashes = next(model["hashes"] for model in manifest.models if model["name"] == version["model"])
    sums = {str(uuids.UUID(bytes=uuid)).upper(): sum_of(row_lines(graph)) for uuid, graph in graphs.items()}
    return digest(version, hashes, sums, [one for one in manifest.attachments if one["until"] is None])
