"""Patches (13.1 to 13.3), and the differences of versions, which follow one another (16.3)."""

import re

from findings import Refused
from identity import OTHER_END
from manifest import NotJSON, Number, read_json

CHANGES = ("inserted", "changed", "deleted")


def require(condition, clause, message):
    if not condition:
        raise Refused(clause, message)


def is_text(value):
    return isinstance(value, str) and not isinstance(value, Number)


def object_of(data, clause):
    """A JSON object in UTF-8."""
    try:
        found = read_json(data)
    except NotJSON as error:
        raise Refused(clause, f"there is no JSON: {error}") from None
    require(isinstance(found, dict), clause, "the JSON is not an object")
    return found


def identifier(text):
    """13.2.1: the numbers of an entity and of an object."""
    found = re.fullmatch(r"([0-9]{1,5})/p([0-9]{1,15})", text, re.ASCII) if is_text(text) else None
    numbers = tuple(map(int, found.groups())) if found else (0, 0)
    require(0 < numbers[0] < 1 << 16 and 0 < numbers[1] < 1 << 48, "13.2.1", f"{text!r} is not an identifier")
    return numbers


def form(value):
    """A form that equal values share, however their numbers are spelled."""
    if not isinstance(value, Number):
        return type(value), value
    found = re.fullmatch(r"(-?)([0-9]+)\.?([0-9]*)(?:[eE]([+-]?[0-9]{1,18}))?", value, re.ASCII)
    if found is None:
        return Number, value
    sign, whole, fraction, exponent = found.groups()
    digits = (whole + fraction).lstrip("0")
    short = digits.rstrip("0")
    return Number, sign, short, int(exponent or 0) - len(fraction) + len(digits) - len(short) if short else 0


def tidy(old, new):
    """A row without the properties that do not differ, and without those that have no value in a whole row; None if nothing is left."""
    if old is None or new is None:
        old, new = (side and {name: value for name, value in side.items() if value is not None} for side in (old, new))
        return None if old is new is None else (old, new)
    names = [name for name in {**old, **new} if form(old.get(name)) != form(new.get(name))]
    return ({name: old.get(name) for name in names}, {name: new.get(name) for name in names}) if names else None


def together(first, second, subject):
    """16.3.2: two changes of a row, as pairs of values before and after. A side on which the row is not there is None."""
    (old, between), (since, new) = first, second
    require((between is None) == (since is None), "16.3.2", f"the changes of {subject[1]} {', '.join(subject[2])} contradict each other")
    if between is not None:
        old = None if old is None else {**since, **old}
        new = None if new is None else {**between, **new}
    return tidy(old, new)


class Difference:
    """The rows and the attachments that differ between two versions.

    `rows` has a pair of values for each subject: the store's name or None, the name of the entity or of the relationship, and
    the identifiers. `files` has the old and the new attachment by name, each as digest and size, or None.
    """

    def __init__(self, rows=None, files=None, hashes=None):
        self.rows, self.files, self.hashes = rows or {}, files or {}, hashes

    def turned(self):
        turn = {key: pair[::-1] for key, pair in self.rows.items()}
        return Difference(turn, {name: pair[::-1] for name, pair in self.files.items()}, self.hashes)

    def followed_by(self, other):
        require(None in (self.hashes, other.hashes) or self.hashes == other.hashes, "13.1.3", "the differences are of two models")
        rows, files = dict(self.rows), dict(self.files)
        for subject, pair in other.rows.items():
            both = together(rows.pop(subject), pair, subject) if subject in rows else pair
            if both is not None:
                rows[subject] = both
        for name, (old, new) in other.files.items():
            old = files.pop(name, (old,))[0]
            if old != new:
                files[name] = old, new
        return Difference(rows, files, self.hashes or other.hashes)

    def lines(self):
        """The lines of the patch as objects, without a header."""
        for (store, name, ids), (old, new) in self.rows.items():
            line = {"change": "inserted" if old is None else "deleted" if new is None else "changed"}
            if store is not None:
                line["store"] = store
            line.update({"entity": name, "id": ids[0]} if len(ids) == 1 else {"links": name, "ends": list(ids)})
            values = {key: {side: values[key] for side, values in (("old", old), ("new", new)) if values is not None}
                      for key in {**(old or {}), **(new or {})}}
            yield {**line, "properties": values} if values else line


# --- Reading


def header(line):
    """13.1.2: the version hashes of a patch by the names of the entities."""
    members = object_of(line, "13.1.2")
    require(members.get("format") == "quire-patch", "13.1.2", "the patch is of another format")
    version = members.get("version")
    require(isinstance(version, Number) and version == "1", "13.1.2", f"the patch is of version {version}")
    hashes = members.get("entities")
    require(isinstance(hashes, dict) and all(is_text(one) and re.fullmatch(r"[0-9A-Fa-f]{64}", one) for one in hashes.values()),
            "13.1.2", "the patch has no hashes of entities")
    return {name: bytes.fromhex(one) for name, one in hashes.items()}


def read(data, own_inverses=()):
    """The difference that the bytes of a patch are. `own_inverses` names the relationships that are their own inverses."""
    lines = data.split(b"\n")
    require(lines.pop() == b"" and lines, "13.1.1", "a line of the patch has no end")
    hashes = header(lines[0])
    found = read_lines(lines[1:], own_inverses)
    found.hashes = hashes
    return found


def read_lines(lines, own_inverses=()):
    """The difference of lines without a header."""
    rows, seen = {}, set()
    for line in lines:
        subject, pair = row(object_of(line, "13.1.1"), own_inverses)
        require(subject not in seen, "13.1.5", f"{', '.join(subject[2])} has two lines")
        seen.add(subject)
        if pair is not None:
            rows[subject] = pair
    return Difference(rows)


def row(line, own_inverses):
    """13.2 and 13.3: the subject of a line, and its values before and after."""
    change, store, name = line.get("change"), line.get("store"), line.get("links", line.get("entity"))
    require(change in CHANGES and is_text(change), "13.2.1", f"the change {change!r}")
    require(is_text(name) and (store is None or is_text(store)), "13.2.1", "a line names no entity, no links or no store")
    is_link = "links" in line
    ids = line.get("ends") if is_link else [line.get("id")]
    require(isinstance(ids, list) and len(ids) == 1 + is_link, "13.3.1", "a link has other ends than two")
    numbers = [identifier(one) for one in ids]
    properties = line.get("properties", {})
    require(isinstance(properties, dict), "13.2.1", "the properties of a line are not object")
    if name in own_inverses and is_link and numbers[0] > numbers[1]:
        ids, properties = ids[::-1], {OTHER_END.get(one, one): value for one, value in properties.items()}
    sides = [None if change == absent else values(properties, side) for side, absent in (("old", "inserted"), ("new", "deleted"))]
    return (store, name, tuple(ids)), tidy(*sides)


def values(properties, side):
    """13.2.3"""
    for name, value in properties.items():
        require(isinstance(value, dict) and side in value, "13.2.3", f"the property '{name}' has no '{side}' value")
    return {name: value[side] for name, value in properties.items()}
