"""Makes the folder of a remote from a gold document with two heads, damages its packs, and compares the findings of the reader (16).

    python3 Tests/reference/pack_damages.py
"""

import base64
import copy
import hashlib
import json
import os
import struct
import sys
import tempfile
import uuid

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "spec/reference"))
import contents  # noqa: E402
import documentwriter  # noqa: E402
import exchange  # noqa: E402
import gold  # noqa: E402
import identity  # noqa: E402
import pack  # noqa: E402
import patch  # noqa: E402
from archive import Archive  # noqa: E402
from replica import Replica, Store  # noqa: E402
from schema import BOOLEAN, BYTES, DATE, DECIMAL, FLOAT, INT16, INT32, INT64, REFERENCE, TEXT, URI, UUID  # noqa: E402

CHANGES = "changes/1.jsonl"


# --- Patches


def json_value(value, kind):
    """A value as 13.2.4 writes it."""
    if value is None or kind in (BOOLEAN, INT16, INT32, INT64):
        return value
    if kind == REFERENCE:
        return f"{value >> 48}/p{value & (1 << 48) - 1}"
    if kind in (TEXT, URI):
        return value.decode()
    if kind == BYTES:
        return base64.b64encode(value).decode()
    if kind == UUID:
        return str(uuid.UUID(bytes=value)).upper()
    if kind == DECIMAL:
        return "nan" if value == "NaN" else f"{value[0]}e{value[1]}"
    number = struct.unpack("<f" if kind == FLOAT else "<d", struct.pack("<I" if kind == FLOAT else "<Q", value))[0]
    return f"@{number!r}" if kind == DATE else "nan" if number != number else number if abs(number) != float("inf") else str(number)


def line(store, number, key, old, new):
    """The line of a row; None if nothing differs."""
    layout, table = store.graph.schema.layouts[number], store.table(number)
    columns = [one for one in layout.columns if table is None or one.number > 2]
    sides = {side: row for side, row in (("old", old), ("new", new)) if row is not None}
    values = {
        column.name: {side: json_value(row.get(column.number), column.kind) for side, row in sides.items()} for column in columns
        if (old or {}).get(column.number) != (new or {}).get(column.number)}
    if table is None:
        subject = {"entity": layout.name, "id": f"{number}/p{key}"}
    else:
        subject = {"links": identity.name_of(store.graph, table.forward), "ends": [json_value(one, REFERENCE) for one in key]}
    change = "inserted" if old is None else "deleted" if new is None else "changed"
    return {"change": change, **subject, "properties": values} if values or change != "changed" else None


def changes(before, after):
    """The bytes of the patch between two replicas with one store."""
    (old,), (new,) = before.stores.values(), after.stores.values()
    lines = [{"format": "quire-patch", "version": 1, "entities": {name: one.hex() for name, one in before.hashes.items()}}]
    for number, rows in old.graph.rows.items():
        others = new.graph.rows[number]
        lines += [line(old, number, key, rows.get(key), others.get(key)) for key in sorted({*rows, *others})]
    return "".join(json.dumps(one) + "\n" for one in lines if one is not None).encode()


# --- Packs


class Plan:
    """A pack before it is written: the members of its header, and its further entries."""

    def __init__(self, stores, versions, entries):
        self.header = {"format": "quire-pack", "version": 1, "stores": stores, "versions": versions}
        self.entries = entries

    def pack(self):
        """The name and the bytes."""
        entries = {**self.entries, "pack.json": json.dumps(self.header).encode()}
        entries = {name: data for name, data in entries.items() if data is not None}
        data = documentwriter.archive([documentwriter.Part(name, entries[name], name.endswith("jsonl")) for name in sorted(entries)])
        return f"{hashlib.sha256(data).hexdigest()}.quirepack", data


def document_files():
    """The gold document without the content of an application, which no pack names."""
    files, _ = gold.all_features()["heads"].make()
    for name in ("manifest.json", "heads/draft.json"):
        members = json.loads(files[name])
        members["attachments"] = [one for one in members["attachments"] if not one.get("content")]
        members.pop("checksum")
        files[name] = documentwriter.manifest(members)
    return files


class Files(pack.Part):
    def __init__(self, files):
        archive = Archive(documentwriter.usual_archive(files))
        super().__init__(archive, "")

    def path(self, name):
        return name


def version(replica, head, parents, **more):
    """The members of the version that a replica is."""
    members = {"parents": parents, "head": head, "saved": "2026-11-22T01:13:59.250Z", **more}
    found = type("Described", (), {"members": members})
    return {"identity": replica.identity(found), **members}


def edited(replica):
    """A replica with other objects and links, whose sum is computed from all of its rows, and with one more attachment."""
    changed = copy.deepcopy(replica)
    (name, store), = changed.stores.items()
    graph, (tags, notes, books) = store.graph, (store.graph.schema.by_name[name].number for name in ("Tag", "Note", "Book"))
    columns = graph.schema.layouts[notes].by_name
    link, related = (store.links[name].number for name in ("Note.tags", "Tag.related"))
    tag, note, book = ([entity << 48 | key for key in range(12)] for entity in (tags, notes, books))
    graph.rows[notes][2].update({columns["text"].number: b"Porto", columns["price"].number: "NaN", columns["when"].number: 0x3FE0 << 48})
    del graph.rows[notes][2][columns["stars"].number], graph.rows[notes][2][columns["next"].number]
    del graph.rows[notes][3]
    graph.rows[notes][9] = {columns["stars"].number: -5, columns["book"].number: book[1], columns["book#order"].number: 3,
                            columns["next"].number: note[9]}
    graph.rows[tags][6] = {}
    for ends in [one for one in graph.rows[link] if note[3] in one]:
        del graph.rows[link][ends]
    graph.rows[link][note[9], tag[6]] = {1: note[9], 2: tag[6], 3: 7}
    graph.rows[related] = {(tag[5], tag[6]): {1: tag[5], 2: tag[6]}, (tag[5], tag[5]): {1: tag[5], 2: tag[5]}}
    changed.stores[name] = Store(graph)
    changed.files["a é"] = hashlib.sha256(b"plan").hexdigest(), 4
    return changed


def plans():
    """A pack with the document at the newest version of `main`, and one with the changes to another version and back."""
    files = document_files()
    main = Replica(Files(files), contents.heads(Files(files))[0])
    draft = edited(main)
    stores = sorted(main.uuids.values())
    first = version(main, "main", [], message="Café")
    files = {f"document/{name}": data for name, data in files.items() if name != ".lock"}
    listed = [{"name": name, **{side: {"digest": one[0], "byteCount": one[1]} for side, one in (
        ("old", main.files.get(name)), ("new", draft.files.get(name))) if one}}
              for name in sorted({*main.files, *draft.files}) if main.files.get(name) != draft.files.get(name)]
    second = version(draft, "draft", [first["identity"], "0a" * 32], author="Bob", **{
        "from": first["identity"], "changes": CHANGES, "attachments": listed})
    third = version(main, "draft", [second["identity"]], **{
        "from": second["identity"], "changes": "changes/2.jsonl",
        "attachments": [{"name": one["name"], **{side: one[other] for side, other in (("old", "new"), ("new", "old")) if other in one}}
                        for one in listed]})
    attached = {f"attachments/{one['new']['digest']}": b"plan" for one in listed if "new" in one}
    return Plan(stores, [first], files), Plan(stores, [second, third], {
        CHANGES: changes(main, draft), "changes/2.jsonl": changes(draft, main), **attached})


# --- Damages


def set_member(*path):
    """A damage that sets a member of the header, which `path` leads to, to its last element; `None` removes the member."""
    *path, name, value = path

    def change(plan):
        owner = plan.header
        for one in path:
            owner = owner[one]
        if value is None:
            del owner[name]
        else:
            owner[name] = value
    return change


def in_changes(old, new):
    """A damage that replaces bytes of the first changes."""
    def change(plan):
        assert old in plan.entries[CHANGES]
        plan.entries[CHANGES] = plan.entries[CHANGES].replace(old, new, 1)
    return change


def set_entry(name, data):
    def change(plan):
        plan.entries[name] = data
    return change


def attachment_entry(data):
    def change(plan):
        name = next(name for name in plan.entries if name.startswith("attachments/"))
        plan.entries[name] = data
    return change


FIRST = ("versions", 0)
# A pack with such a header is left out, by the clause.
LEFT_OUT = (
    ("another format", "16.2.2", set_member("format", "quire-packs")),
    ("a higher version", "16.2.2", set_member("version", 2)),
    ("a version that is a text", "16.2.2", set_member("version", "1")),
    ("no stores", "16.2.2", set_member("stores", None)),
    ("a store in small letters", "16.2.2", lambda plan: plan.header.update(stores=[one.lower() for one in plan.header["stores"]])),
    ("no versions", "16.2.2", set_member("versions", [])),
    ("no identity", "16.2.4", set_member(*FIRST, "identity", None)),
    ("an identity in capital letters", "16.2.4", set_member(*FIRST, "identity", "0A" * 32)),
    ("no parents", "16.2.4", set_member(*FIRST, "parents", None)),
    ("a parent that is not an identity", "16.2.4", set_member(*FIRST, "parents", ["1"])),
    ("no head", "16.2.4", set_member(*FIRST, "head", None)),
    ("a head with a dot", "16.2.4", set_member(*FIRST, "head", "a.b")),
    ("no date", "16.2.4", set_member(*FIRST, "saved", None)),
    ("a date without milliseconds", "16.2.4", set_member(*FIRST, "saved", "2026-11-22T01:13:59Z")),
    ("a message that is not text", "16.2.4", set_member(*FIRST, "message", 3)),
    ("a version whose changes begin at no parent", "16.2.4", set_member(*FIRST, "from", "0b" * 32)),
    ("changes that begin nowhere", "16.2.4", set_member(*FIRST, "from", None)),
    ("changes that are not there", "16.2.4", set_entry(CHANGES, None)),
    ("a model that is not there", "16.2.4", set_member(*FIRST, "model", "models/1.xml")),
    ("a model that is not text", "16.2.4", set_member(*FIRST, "model", 1)),
    ("attachments that are not a list", "16.2.4", set_member(*FIRST, "attachments", {})),
    ("an attachment without a size", "16.2.4", set_member(*FIRST, "attachments", [{"name": "a", "new": {"digest": "0a" * 32}}])),
    ("an attachment that is not there", "16.2.6", attachment_entry(None)),
    ("an attachment with other bytes", "16.2.6", attachment_entry(b"plam")),
)
# A version with such changes is not a version, by the clause.
FAULTS = (
    ("a date that the identity does not have", "7.7.9", set_member(*FIRST, "saved", "2026-11-22T01:13:59.251Z")),
    ("another value", "7.7.9", in_changes(b'"new": "Porto"', b'"new": "porto"')),
    ("a patch of another format", "13.1.2", in_changes(b"quire-patch", b"patch")),
    ("a patch of a higher version", "13.1.2", in_changes(b'"version": 1', b'"version": 2')),
    ("a patch without its last line feed", "13.1.1", lambda plan: plan.entries.update({CHANGES: plan.entries[CHANGES][:-1]})),
    ("a patch of another model", "13.1.3", in_changes(b'"Book": "', b'"Buch": "')),
    ("a row twice", "13.1.5", lambda plan: plan.entries.update({CHANGES: b"\n".join(
        [*plan.entries[CHANGES].split(b"\n")[:-1], *plan.entries[CHANGES].split(b"\n")[1:]])})),
    ("a change that does not exist", "13.2.1", in_changes(b'"change": "', b'"change": "not ')),
    ("an entity with another number", "13.2.1", in_changes(b'"id": "3/p', b'"id": "7/p')),
    ("a property that does not exist", "13.2.2", in_changes(b'"stars"', b'"sterne"')),
    ("a value of another type", "13.2.4", in_changes(b'"new": "Porto"', b'"new": 3')),
    ("an insertion of what is there", "16.3.2", lambda plan: plan.entries.update({CHANGES: plan.entries[CHANGES] + (
        b'{"change":"inserted","entity":"Book","id":"7/p1"}\n')})),
    ("a change of what is not there", "16.3.2", lambda plan: plan.entries.update({CHANGES: plan.entries[CHANGES] + (
        b'{"change":"changed","entity":"Tag","id":"1/p77","properties":{"name":{"old":"a","new":"b"}}}\n')})),
)
# Changes that mean the same.
EQUAL = (
    ("a link of a relationship that is its own inverse, from the other end", in_changes(b'["1/p5", "1/p6"]', b'["1/p6", "1/p5"]')),
    ("another spelling of a decimal", in_changes(b'"15e-1"', b'"1.50"')),
    ("another spelling of a date", in_changes(b'"@0.5"', b'"2001-01-01T00:00:00.5Z"')),
    ("a date as a number with an exponent", in_changes(b'"@0.5"', b'"@5e-1"')),
    ("a property that does not differ", in_changes(b'"stars": {"old": -2', b'"book": {"old": "7/p1", "new": "7/p1"}, "stars": {"old": -2')),
    ("no properties", in_changes(b', "properties": {}', b"")),
    ("members that no clause has", in_changes(b'{"change"', b'{"reason": [1.5e3, null], "change"')),
    ("hashes in capital letters", lambda plan: plan.entries.update({CHANGES: plan.entries[CHANGES].replace(
        b"bd3f9f07309baa18", b"BD3F9F07309BAA18")})),
    ("lines in another order", lambda plan: plan.entries.update({CHANGES: b"\n".join(
        [plan.entries[CHANGES].split(b"\n")[0], *plan.entries[CHANGES].split(b"\n")[:0:-1][1:], b""])})),
    ("an unknown member of the header", set_member("colour", "red")),
    ("an unknown member of a version", set_member(*FIRST, "colour", "red")),
)


def found_in(packs):
    """The lines of a folder with packs."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in packs:
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)
        return list(exchange.lines(folder))


def compare_bytes(first, second):
    """Yields a sentence for each damage of a whole file that the reader does not leave out, or None."""
    name, data = second
    middle = len(data) // 2
    damages = (
        ("a cut", name, data[:-1]), ("half of a pack", name, data[:middle]), ("no bytes", name, b""),
        ("a flipped bit", name, data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1:]), ("a byte more", name, data + b"\0"),
        ("another digest", "0" * 64 + ".quirepack", data), ("a second copy", f"{name} (2)", data), ("capital letters", name.upper()[:64] + name[64:], data))
    for title, other, changed in damages:
        lines = found_in([first, (other, changed)])
        is_left_out = lines[0].startswith(f"left out {other}: ") and [one.split()[-1] for one in lines if one.startswith("version ")] == ["ok"]
        yield None if is_left_out else f"{title}: {lines}"


def compare_damages():
    """Yields for each damage a sentence where the reader finds something else, or None."""
    whole, changed = plans()
    first, second = whole.pack(), changed.pack()
    lines = found_in([first, second])
    words = [one.split()[-1] for one in lines if one.startswith("version ")]
    tips = [one for one in lines if one.startswith("tip ")]
    identities = [one["identity"] for one in (*whole.header["versions"], *changed.header["versions"])]
    yield None if words == ["ok"] * 3 and tips == [f"tip draft {identities[2]}", f"tip main {identities[0]}"] else f"the packs as they are: {lines}"
    graph = exchange.Graph([pack.Pack(*first), pack.Pack(*second)])
    there, back = (graph.difference(identities[one], identities[other]) for one, other in ((0, 2), (2, 0)))
    yield None if not (there.rows or there.files or back.rows or back.files) else f"the way there and back: {there.rows} {there.files}"
    yield from compare_bytes(first, second)
    for title, clause, change in LEFT_OUT:
        plan = copy.deepcopy(changed)
        change(plan)
        lines = found_in([first, plan.pack()])
        is_right = any(one.startswith("left out ") and one.endswith(f"(spec §{clause})") for one in lines)
        yield None if is_right else f"{title}: {lines}"
    for title, change in EQUAL:
        plan = copy.deepcopy(changed)
        change(plan)
        lines = found_in([first, plan.pack()])
        yield None if [one.split()[-1] for one in lines if one.startswith("version ")] == ["ok"] * 3 else f"{title}: {lines}"
    for title, clause, change in FAULTS:
        plan = copy.deepcopy(changed)
        change(plan)
        lines = found_in([first, plan.pack()])
        is_right = any(one.startswith(f"version {identities[1]}") and "fault" in one and one.split("(spec §")[1].startswith(clause) for one in lines)
        yield None if is_right else f"{title}: {lines}"


def main():
    checked = list(compare_damages())
    found = [sentence for sentence in checked if sentence]
    for sentence in found:
        print(sentence)
    print(f"{len(checked)} folders of packs, {len(found)} differences")
    sys.exit(1 if found or not checked else 0)


if __name__ == "__main__":
    main()
