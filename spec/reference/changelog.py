"""Reads the history of Core Data in an SQLite database (10.10), with the model that the database contains."""

import sqlite3
import zlib

import model
import modelfiles

KINDS = ["inserted", "changed", "deleted"]


def code_units(name):
    return name.encode("utf-16-be")


def levels(known, entity):
    """An entity and those above it, the root first, each with its stored properties of one kind in the order of their names."""
    line = list(reversed(known.line(entity)))

    def each(kind):
        return [
            member for one in line
            for member in sorted((m for m in one.declared if isinstance(m, kind) and not m.is_transient), key=lambda m: code_units(m.name))]
    return each(model.Attribute), each(model.Relationship)


def slots(known, entity):
    """The properties that each bit of a mask stands for (10.10.3); None if they are not known."""
    attributes, relationships = levels(known, entity)
    if any(one.type == "Composite" or one.expression is not None for one in attributes):
        return None
    to_one = [one for one in relationships if not one.is_to_many]
    found = [{one.name} for one in to_one]
    found += [{one.name} for one in to_one if len(known.family(one.destination)) > 1]
    found += [{one.name} for one in to_one if (inverse := known.inverse(one)) is not None and inverse.keeps_order]
    found += [{one.name} for one in attributes]
    groups, is_one = ([], []), False
    for one in relationships:
        if one.is_to_many:
            inverse = known.inverse(one)
            is_one = is_one or inverse is None or inverse is one
            groups[1 if inverse is None or inverse.is_to_many else 0].append(one.name)
    for group in [groups[0] + groups[1]] if is_one else groups:
        found += [set(group)] * len(group)
    return found


def names(known, entity, mask):
    """The changed properties that a mask names. All of them, if the slots are not known."""
    places = slots(known, entity)
    if places is None:
        attributes, relationships = levels(known, entity)
        return sorted(one.name for one in attributes + relationships)
    if len(mask) != (len(places) + 7) // 8:
        raise ValueError(f"10.10.3: a mask of '{entity.name}' has {len(mask)} bytes for {len(places)} slots")
    changed = set()
    for place in range(len(mask) * 8):
        if mask[place // 8] & 0x80 >> place % 8:
            changed |= places[place]
    return sorted(changed)


def preserved(known, entity):
    attributes, _ = levels(known, entity)
    return sorted((one.name for one in attributes if one.is_preserved), key=code_units)


def read(path):
    """Returns the transactions, the oldest first, each with its changes."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    (archive,), = database.execute("SELECT Z_CONTENT FROM Z_MODELCACHE")
    known = modelfiles.compiled(zlib.decompress(archive, -15))
    numbers = {number: known.entities[name] for number, name in database.execute("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY") if name in known.entities}
    found = {}
    for number, time, *texts in database.execute(
            "SELECT Z_PK, ZTIMESTAMP, ZAUTHORTS, ZCONTEXTNAMETS, ZBUNDLEIDTS, ZPROCESSIDTS FROM ATRANSACTION ORDER BY Z_PK"):
        words = [database.execute("SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = ?", [key]).fetchone() for key in texts]
        author, context, bundle, process = [word[0] if word else None for word in words]
        found[number] = {"number": number, "time": time, "author": author, "context": context, "bundle": bundle, "process": process, "changes": []}
    columns = [row[1] for row in database.execute("PRAGMA table_info(ACHANGE)")]
    tombstones = sorted((name for name in columns if name.startswith("ZTOMBSTONE")), key=lambda name: int(name[10:]))
    for transaction, kind, number, key, mask, *values in database.execute(
            f"SELECT {', '.join(['ZTRANSACTIONID', 'ZCHANGETYPE', 'ZENTITY', 'ZENTITYPK', 'ZCOLUMNS'] + tombstones)} FROM ACHANGE ORDER BY Z_PK"):
        entity = numbers[number]
        change = {"change": KINDS[kind], "entity": entity.name, "key": key}
        if kind == 1:
            change["names"] = names(known, entity, mask)
        if kind == 2:
            change["values"] = {name: value for name, value in zip(preserved(known, entity), values) if value is not None}
        found[transaction]["changes"].append(change)
    database.close()
    return list(found.values())
