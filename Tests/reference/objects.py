"""The contents of a file or a document in one form, as the reader in spec/reference and as the tool find them.

An object is (entity, number, attributes, relationships): values as the words of 4.9, related objects as pairs of entity and number.
"""

import base64
import datetime
import fractions
import json
import os
import re
import struct
import subprocess
import sys
import uuid

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "spec/reference"))
import archive  # noqa: E402
import contents  # noqa: E402
import document  # noqa: E402
from model import Attribute, Relationship  # noqa: E402
from schema import BOOLEAN, BYTES, DATE, DECIMAL, FLOAT, INT16, INT32, INT64, KINDS, REALS, UUID, decimal_of_text  # noqa: E402


class Failure(Exception):
    """A command that failed, or a file that a reader refused."""


class Contents:
    """The objects of each store by the store's name, which is empty for a single store, and what a document has beside them."""

    def __init__(self, stores, versions=(), attachments=()):
        self.stores, self.versions, self.attachments = stores, list(versions), sorted(attachments)
        self.models = {}

    def difference(self, other):
        """A sentence on the first difference, or None."""
        if sorted(self.stores) != sorted(other.stores):
            return f"the stores are {sorted(self.stores)} and {sorted(other.stores)}"
        for name, own in self.stores.items():
            for one, theirs in zip(own, other.stores[name]):
                if one != theirs:
                    return f"{one} and {theirs}"[:600]
            if len(own) != len(other.stores[name]):
                return f"there are {len(own)} and {len(other.stores[name])} objects"
        if self.versions and other.versions and self.versions != other.versions:
            return f"the versions are {self.versions} and {other.versions}"
        if self.attachments != other.attachments:
            return f"the attachments are {self.attachments} and {other.attachments}"
        return None

    def ranked(self):
        """The contents with the place of each object among those of its entity in place of its number: a copy numbers anew."""
        found = {}
        for name, objects in self.stores.items():
            ranks, counts = {}, {}
            for entity, number, _, _ in objects:
                counts[entity] = ranks[entity, number] = counts.get(entity, 0) + 1
            found[name] = [
                (entity, ranks[entity, number], values, {
                    key: [(one[0], ranks[one]) for one in related] for key, related in relationships.items()})
                for entity, number, values, relationships in objects]
        return Contents(found, (), self.attachments)

    @property
    def only(self):
        """The objects of the only store."""
        objects, = self.stores.values()
        return objects


def in_one_form(objects, model):
    """Sorts the objects, and the lists of relationships without an order."""
    found = []
    for entity, number, values, related in objects:
        members = model.properties(model.entities[entity])
        related = {name: one if members[name].is_to_many and members[name].keeps_order else sorted(one)
                   for name, one in related.items() if one}
        found.append((entity, number, dict(sorted(values.items())), dict(sorted(related.items()))))
    return sorted(found, key=lambda one: one[:2])


# --- The reader in spec/reference


def of_graph(graph):
    objects = [(entity, number, {name: contents.word(value, kind) for name, (kind, value) in values.items()}, related)
               for entity, number, values, related in contents.Objects(graph)]
    return in_one_form(objects, graph.model)


def of_reader(path):
    """The contents of a valid file or of the head `main` of a valid document, as the reader finds them."""
    files = document.Folder(path) if os.path.isdir(path) else None
    if files is None:
        with open(path, "rb") as source:
            data = source.read()
        if not archive.is_packed(data):
            graph, _ = contents.graph_of(data)
            found = Contents({"": of_graph(graph)})
            found.models[""] = graph.model
            return found
        files = archive.Archive(data)
    head = contents.heads(files)[0]
    stores, models, manifest = {}, {}, head.manifest
    for store, graph, _ in contents.store_graphs(files, head):
        stores[store["name"]], models[store["name"]] = of_graph(graph), graph.model
    attached = [(one["name"], one["byteCount"], one["content"]) for one in manifest.attachments if one["until"] is None]
    found = Contents(stores, manifest.versions, [one[:2] for one in attached if not one[2]])
    found.models = models
    return found


# --- The tool


class Tool:
    def __init__(self, path):
        self.path = path

    def run(self, *words, text=None):
        outcome = subprocess.run(
            [self.path, *words], input=None if text is None else text.encode(), capture_output=True, timeout=600, check=False)
        if outcome.returncode:
            raise Failure(f"quire {' '.join(words)}\n  {outcome.stderr.decode().strip()[:400]}")
        return outcome.stdout.decode()

    def judge(self, path):
        """The verdict, and the rules that `quire validate` reports."""
        outcome = subprocess.run(
            [self.path, "validate", "--format", "json", path], capture_output=True, text=True, encoding="utf-8", timeout=600, check=False)
        report = json.loads(outcome.stdout)
        return report["verdict"], set(report["rules"])

    def contents(self, path, models):
        """The contents as the tool finds them. The names of the stores and their models are those of the reader."""
        stores = {}
        for name, model in models.items():
            lines = self.run("export", path, *(["--in", name] if len(models) > 1 else [])).split("\n")
            stores[name] = of_export([json.loads(line, parse_float=str, parse_int=str) for line in lines if line], model)
        if list(models) == [""]:
            return Contents(stores)
        versions = [one["number"] for one in json.loads(self.run("history", path, "--format", "json"))] if os.path.isdir(path) else []
        attachments = [(one["name"], one["byteCount"]) for one in json.loads(self.run("attach", "list", path, "--format", "json"))]
        return Contents(stores, sorted(versions), attachments)


def of_export(rows, model):
    """The objects of `quire export`: JSON whose numbers are texts."""
    keys = {row["@id"]: (row["@entity"], int(row["@id"].partition("/p")[2])) for row in rows}
    found = []
    for row in rows:
        members = model.properties(model.entities[row["@entity"]])
        values, related = {}, {}
        for name, value in row.items():
            member = members.get(name)
            if isinstance(member, Relationship):
                related[name] = [keys[one] for one in (value if isinstance(value, list) else [value])]
            elif isinstance(member, Attribute):
                values.update(exported(name, value, member, model))
        found.append((*keys[row["@id"]], values, related))
    return in_one_form(found, model)


def exported(name, value, member, model):
    """Yields the name and the word of an exported attribute, or of each part of a composite one."""
    if member.type == "Composite":
        parts = {part.name: part for part in model.composites[member.composite]}
        for part, one in value.items():
            yield from exported(f"{name}.{part}", one, parts[part], model)
        return
    kind = KINDS[member.type]
    yield name, contents.word(value_of_export(value, kind), kind)


def value_of_export(value, kind):
    if kind == BOOLEAN:
        return value
    if kind in (INT16, INT32, INT64):
        return int(value)
    if kind in REALS:
        return bits(value, kind)
    if kind == DECIMAL:
        return "NaN" if value == "nan" else decimal_of_text(value.encode())
    if kind == UUID:
        return uuid.UUID(value).bytes
    return base64.b64decode(value) if kind == BYTES else value.encode()


def bits(text, kind):
    """The bits of a real or of a date."""
    if kind == DATE and not text.startswith("@"):
        found = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?Z", text)
        whole = datetime.datetime.fromisoformat(found.group(1)) - datetime.datetime(2001, 1, 1)
        number = float(int(whole.total_seconds()) + fractions.Fraction("0" + (found.group(2) or ".0")))
        return struct.unpack("<Q", struct.pack("<d", number))[0]
    text = text.removeprefix("@")
    if text.startswith("nan:"):
        return int(text[4:], 16)
    if text == "nan":
        return 0x7FC00000 if kind == FLOAT else 0x7FF8 << 48
    code, form = ("<I", "<f") if kind == FLOAT else ("<Q", "<d")
    return struct.unpack(code, struct.pack(form, float(text)))[0]
