"""The identity of a version (7.7.9)."""

import hashlib

from contents import graph_of, valid_document, word
from documentwriter import uuid_text
from schema import DECIMAL, REFERENCE


def value_word(value, column, names):
    if column.kind == REFERENCE:
        return f"{names[value >> 48]}/{value & (1 << 48) - 1}"
    if column.kind == DECIMAL and value != "NaN":
        coefficient, exponent = value
        while coefficient and coefficient % 10 == 0:
            coefficient, exponent = coefficient // 10, exponent + 1
        return f"{coefficient}e{exponent if coefficient else 0}"
    return word(value, column.kind)


def row_lines(graph):
    """A line for each object and each link."""
    names = {number: layout.name for number, layout in graph.schema.entities.items()}
    starts = dict(names)
    for table in graph.schema.tables:
        entity, member = next(iter(graph.relationships(table.forward).items()))
        starts[table.number] = f"{entity}.{member.name}"
    for number, layout in graph.schema.layouts.items():
        columns = sorted(layout.columns, key=lambda column: column.name.encode())
        for key, stack in graph.rows[number].items():
            values = ((column, graph.value(stack, column, True)) for column in columns)
            words = [f"{column.name}={value_word(value, column, names)}" for column, value in values if value is not None]
            yield " ".join([starts[number], *([str(key)] if number in names else []), *words])


def row_sum(graph):
    digests = (hashlib.sha256(line.encode()).digest() for line in row_lines(graph))
    return (sum(int.from_bytes(digest, "little") for digest in digests) % (1 << 256)).to_bytes(32, "little").hex()


def of_newest(found, head):
    """The number and the identity of the newest version of a head."""
    number = head.versions[-1]
    saved, _, author, message = head.descriptions[number]
    lines = ["quire-version 1", f"saved {saved}"]
    lines += [f"author {author.encode().hex()}"] if author is not None else []
    lines += [f"message {message.encode().hex()}"] if message is not None else []
    hashes = next(one["hashes"] for one in head.models if one["name"] == head.model)
    lines += [f"entity {name} {hashes[name].hex()}" for name in sorted(hashes, key=str.encode)]
    for store in sorted(head.stores, key=lambda one: uuid_text(one["uuid"])):
        graph, _ = graph_of(found.files.read(store["file"]), store["commit"], store["name"] == head.log_read)
        lines.append(f"store {uuid_text(store['uuid'])} {row_sum(graph)}")
    attachments = [one for one in head.attachments if one["until"] is None]
    for one in sorted(attachments, key=lambda one: (one["content"], one["name"].encode())):
        lines.append(f"{'content' if one['content'] else 'attachment'} {one['name'].encode().hex()} {one['digest']}")
    return number, hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def identities(files):
    """Yields for each head of a document its name, and the number and the identity of its newest version, which the manifest lists."""
    found = valid_document(files)
    for head in found.heads:
        if head.versions[-1] in head.descriptions:
            yield (head.head or "main", *of_newest(found, head))
