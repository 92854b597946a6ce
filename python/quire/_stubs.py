"""Type stubs of a model: classes with the properties of each entity, and of the document."""

TYPES = {
    "Integer16": "int", "Integer32": "int", "Integer64": "int", "Decimal": "decimal.Decimal",
    "Double": "float", "Float": "float", "String": "str", "Boolean": "bool", "Date": "datetime.datetime",
    "Binary": "bytes", "UUID": "uuid.UUID", "URI": "str", "Transformable": "bytes", "Composite": "dict[str, Any]",
}

HEAD = '''"""The objects of a document, made from its model by `python -m quire stubs`."""

import datetime
import decimal
import uuid
from collections.abc import Iterator
from typing import Any, Generic, Optional, TypeVar

import quire

O = TypeVar("O")

class Objects(quire.Query, Generic[O]):
    def where(self, predicate: Optional[str] = None, /, *arguments: Any, **values: Any) -> "Objects[O]": ...
    def order_by(self, *keys: str) -> "Objects[O]": ...
    def limit(self, count: int) -> "Objects[O]": ...
    def __iter__(self) -> Iterator[O]: ...
    def first(self) -> Optional[O]: ...
    def one(self) -> O: ...
    def get(self, identifier: int) -> O: ...
    def add_all(self, rows: Any) -> int: ...

class Many(quire.Related, Generic[O]):
    def __iter__(self) -> Iterator[O]: ...
    def add(self, *objects: O) -> None: ...
    def remove(self, *objects: O) -> None: ...
    def set(self, objects: list[O]) -> None: ...
'''


def text(model):
    """Returns the stubs of a model."""
    entities = {entity["name"]: entity for entity in model["entities"]}
    lines = [HEAD]
    for entity in entities.values():
        above = entity.get("superentity")
        lines.append(f"class {entity['name']}({above or 'quire.Object'}):")
        body = [f"    {name}: {kind}" for name, kind in properties(entity)]
        lines += body or ["    ..."]
        lines.append("")
    for name in entities:
        members = [part for line in reversed(family(entities, name)) for part in properties(line)]
        lines.append(f"class {name}Objects(Objects[{name}]):")
        # A new object may leave out every property, because the model decides what a save demands.
        values = "".join(f", {member}: {added(kind)} = ..." for member, kind in members)
        lines.append(f"    def add(self{', *' if values else ''}{values}) -> {name}: ...")
        lines.append("")
    lines.append("class Document(quire.Document):")
    lines += [f"    {name}: {name}Objects" for name in entities]
    lines += ["", "def open(path: str, access: str = ..., **options: Any) -> Document: ...", ""]
    return "\n".join(lines)


def family(entities, name):
    found = []
    while name is not None:
        found.append(entities[name])
        name = entities[name].get("superentity")
    return found


def properties(entity):
    for attribute in entity.get("attributes", []):
        if attribute.get("isTransient"):
            continue
        kind = TYPES.get(attribute["type"].replace(" ", ""), "Any")
        yield attribute["name"], f"Optional[{kind}]" if attribute.get("isOptional") else kind
    for relationship in entity.get("relationships", []):
        other = relationship["destination"]
        kind = f'Many["{other}"]' if relationship["isToMany"] else f'Optional["{other}"]'
        yield relationship["name"], kind


def added(kind):
    return kind.replace("Many[", "list[") if kind.startswith("Many[") else kind
