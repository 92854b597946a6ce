"""Gold files of what lies in models: inheritance, relationships, links, lanes of keys, and rows under newer schemas (3.2, 3.6)."""

import struct

from blockwriter import Plan
from filewriter import Segment, reference
from gold import attribute, entity, feature, new_file, to_many, to_one, xml_model
from schemawriter import Index
from schemawriter import Plan as Schema

LANE = (1 << 47) + 65536 * 3


# A program that saves an object here draws a lane (4.4.6) among numbers that the first lane has given already, so nobody does.
@feature("large-numbers", "block file", "Object numbers near 2^47 and 2^48 beside small ones, in one block and in several segments, with references",
         may_change=False)
def large_numbers():
    model = xml_model(entity("Note", attribute("text", "String"), to_one("next", "Note", "previous"), to_one("previous", "Note", "next")))
    plan = Schema(model, {"Note": 2})
    file = new_file(plan, "large numbers")
    file.write_model()
    keys = [1, 2, 65535, 65536, LANE + 1, LANE + 2, (1 << 48) - (1 << 32) - 1, (1 << 48) - (1 << 32)]
    rows = {key: {"text": b"%d" % key} for key in keys}
    for one, other in zip(keys[::2], keys[1::2]):
        rows[one]["next"], rows[other]["previous"] = reference(plan, "Note", other), reference(plan, "Note", one)
    file.next_keys[2] = keys[-1] + 1
    lowest = Segment([file.put("Note", rows, key_plan=Plan(1, 8))])
    file.commit([lowest])
    more = file.put("Note", {key: {"text": b"later"} for key in (3, LANE + 3, LANE + 65536 * 40001)}, bases=[0, 0, 0])
    second = Segment([more, file.change("Note", {LANE + 2: {"text": b"changed"}, 1: {"text": None}}, bases=[1, 1])])
    file.commit([lowest, second])
    file.commit([lowest, second, Segment([file.remove("Note", [LANE + 3, 3], bases=[2, 2])])])
    return file.bytes(), file.lines()


@feature("lanes", "block file", "A copy of a copy, which drew a lane: keys of four lanes, and an entity without a next key")
def lanes():
    model = xml_model(entity("Note", attribute("text", "String"), to_many("tags", "Tag", "notes")),
                      entity("Tag", attribute("name", "String"), to_many("notes", "Note", "tags")))
    plan = Schema(model, {"Note": 1, "Tag": 2}, {"Note.tags": 3})
    file = new_file(plan, "lanes")

    def link(note, tag):
        return {"source": reference(plan, "Note", note), "target": reference(plan, "Tag", tag)}

    def put(keys, tags, links, bases):
        blocks = [file.put("Note", {key: {"text": b"%d" % key} for key in keys}, bases=bases and bases * len(keys)),
                  file.put("Tag", {key: {"name": b"%d" % key} for key in tags}, bases=bases and bases * len(tags)),
                  file.put("Note.tags", links, bases=bases and bases * len(links))]
        return Segment(blocks)
    file.write_model()
    file.next_keys = {1: 8, 2: 3, 3: 6}
    lowest = put([1, 7], [2], {5: link(1, 2)}, None)
    file.commit([lowest])
    # The commit that draws a lane repeats the number, and lists no next key of the lane before (4.4.6).
    last = (1 << 48) - (1 << 32) - 65536
    replicas = {str(start): f"{number:016x}" for start, number in ((1 << 47, 0), (LANE, 1), (last, (1 << 64) - 1))}
    metadata = {"QuireLanes": replicas, "QuireLane": str(LANE)}
    file.section("metadata", plan.metadata(file.uuid, file.kind, metadata))
    file.next_keys = {1: LANE + 65538, 3: LANE + 2}
    file.commit([lowest], number=1)
    # Keys of further lanes come from a merge, and do not change a next key.
    keys = [(1 << 47) + 1, LANE + 1, LANE + 65536, LANE + 65537, last + 1]
    file.commit([lowest, put(keys, [last + 9], {LANE + 1: link(LANE + 65536, last + 9), last + 3: link(7, 2)}, [0])])
    return file.bytes(), file.lines()


ANIMALS = xml_model(
    entity("Animal", attribute("name", "String"), attribute("place", "Composite", 'composite="Place"'), is_abstract=True),
    entity("Cat", attribute("lives", "Integer 16"), parent="Animal"), entity("Dog", attribute("tricks", "Integer 64"), parent="Animal"),
    entity("Puppy", attribute("days", "Integer 32"), parent="Dog"),
    more='<composite name="Place">' + attribute("city", "String") + attribute("at", "Composite", 'composite="Point"') + "</composite>"
         '<composite name="Point">' + attribute("x", "Double") + attribute("y", "Double") + "</composite>")


@feature("inheritance", "block file", "A family of four entities with inherited columns, and composite attributes in composite attributes")
def inheritance():
    file = new_file(Schema(ANIMALS, {"Animal": 30, "Dog": 8, "Puppy": 9, "Cat": 2}, first=10, stride=3, backwards=True), "inheritance")
    file.write_model()
    half = struct.unpack("<Q", struct.pack("<d", 0.5))[0]
    rows = {
        "Cat": {1: {"name": b"Tom", "lives": 9, "place.city": b"Faro"}, 5: {"lives": -1}},
        "Dog": {1: {"name": b"Rex", "tricks": 1 << 40, "place.at.x": half, "place.at.y": half}},
        "Puppy": {7: {"name": b"Rex", "days": 12, "tricks": None, "place.at.x": half}}}
    blocks = [file.put(name, found) for name, found in rows.items()]
    file.next_keys = {2: 6, 8: 2, 9: 8}
    file.commit([Segment(blocks)])
    return file.bytes(), file.lines()


TRIPS = xml_model(
    entity("Trip", attribute("name", "String"), to_many("stops", "Stop", "trip", True), to_many("people", "Person", "trips")),
    entity("Stop", attribute("name", "String"), to_one("trip", "Trip", "stops"), to_one("near", "Stop")),
    entity("Museum", attribute("isFree", "Boolean"), parent="Stop"),
    entity("Person", attribute("name", "String"), to_many("trips", "Trip", "people", True), to_many("friends", "Person", "friends"),
           to_many("heroes", "Person"), to_many("favourites", "Stop", None, True)))
TRIP_ENTITIES = {"Trip": 4, "Stop": 2, "Museum": 3, "Person": 1}
# `trips` is ordered and `people` is not; the source of the table is the second of its relationships.
TRIP_TABLES = {"Person.favourites": 20, "Person.friends": 21, "Person.heroes": 22, "Person.trips": 9}


def trip_file(words, indexes=(), turned=("Person.trips",)):
    return new_file(Schema(TRIPS, TRIP_ENTITIES, TRIP_TABLES, indexes, turned=turned), words)


@feature("to-one-relationships", "block file", "References to other entities of a family, places with gaps and of both signs")
def to_one_relationships():
    file = trip_file("to one", [Index(30, "Stop", ["trip", "trip#order"]), Index(31, "Museum", ["trip", "trip#order"])])
    plan = file.plan
    file.write_model()
    trips = {key: {"name": b"Trip %d" % key} for key in (1, 2, 9)}

    def stop(key, trip, place, near=None):
        return {"name": b"Stop %d" % key, "trip": reference(plan, "Trip", trip) if trip else None, "trip#order": place, "near": near}
    museum = reference(plan, "Museum", 3)
    stops = {1: stop(1, 1, 1 << 40), 2: stop(2, 1, -7, museum), 3: stop(3, 2, 0, reference(plan, "Stop", 3)), 4: stop(4, None, None)}
    museums = {3: {**stop(3, 1, 5), "isFree": True}, 70000: {**stop(70000, 9, -(1 << 63)), "isFree": None}}
    file.next_keys = {2: 5, 3: 70001, 4: 10}
    entries = [file.put("Trip", trips), file.put("Museum", museums), file.put("Stop", stops)]
    file.commit([Segment(entries)])
    return file.bytes(), file.lines()


@feature("links", "block file", "Links with and without places, of relationships that are their own inverse or have none; removed ones")
def links():
    file = trip_file("links")
    plan = file.plan
    file.write_model()

    def link(source, target, target_place=None, source_place=None):
        row = {"source": reference(plan, *source), "target": reference(plan, *target)}
        return {**row, **{name: place for name, place in (("target#order", target_place), ("source#order", source_place)) if place is not None}}
    people = {key: {"name": b"Person %d" % key} for key in (1, 2, 3)}
    friends = {1: link(("Person", 1), ("Person", 2)), 5: link(("Person", 3), ("Person", 1)), 6: link(("Person", 2), ("Person", 2))}
    heroes = {2: link(("Person", 1), ("Person", 3)), 3: link(("Person", 3), ("Person", 1)), 4: link(("Person", 2), ("Person", 3))}
    favourites = {1: link(("Person", 1), ("Museum", 1), 10), 2: link(("Person", 1), ("Stop", 1), -10), 3: link(("Person", 2), ("Stop", 1), 0)}
    # The source is the trip, and the order that of the trips of a person.
    trips = {10 ** 12: link(("Trip", 1), ("Person", 2), source_place=2), 4: link(("Trip", 2), ("Person", 2), source_place=-1),
             5: link(("Trip", 2), ("Person", 3), source_place=0)}
    blocks = [
        file.put("Person.trips", trips), file.put("Person", people), file.put("Person.friends", friends), file.put("Person.heroes", heroes),
        file.put("Person.favourites", favourites), file.put("Trip", {1: {}, 2: {}}), file.put("Stop", {1: {}}), file.put("Museum", {1: {}})]
    file.next_keys = {1: 4, 2: 2, 3: 2, 4: 3, 9: 10 ** 12 + 1, 20: 4, 21: 7, 22: 5}
    lowest = Segment(blocks)
    file.commit([lowest])
    changed = file.change("Person.favourites", {1: {"target#order": -11}}, bases=[1])
    second = Segment([file.remove("Person.heroes", [4], bases=[1]), changed, file.remove("Person.trips", [5], bases=[1])])
    file.commit([lowest, second])
    return file.bytes(), file.lines()


OLD = xml_model(entity(
    "Row", attribute("flag", "Boolean"), attribute("small", "Integer 16"), attribute("middle", "Integer 32"), attribute("big", "Integer 64"),
    attribute("single", "Float"), attribute("link", "URI"), attribute("word", "String"), attribute("id", "UUID"), attribute("gone", "String"),
    attribute("title", "String")), entity("Dropped", attribute("x", "Integer 16")))
NEW = xml_model(entity(
    "Row", attribute("flag", "Integer 64"), attribute("small", "Float"), attribute("middle", "Double"), attribute("big", "Decimal"),
    attribute("single", "Double"), attribute("link", "String"), attribute("word", "Binary"), attribute("id", "Binary"),
    attribute("added", "String"), attribute("count", "Integer 32"), attribute("price", "Decimal"), attribute("when", "Date"),
    attribute("sure", "Boolean"), attribute("heading", "String", 'renamingIdentifier="title"')), entity("Added"))


@feature("newer-schema", "block file", "Rows under a newer schema: defaults, columns of wider kinds, dropped and renamed ones, a dropped entity")
def newer_schema():
    old = Schema(OLD, {"Row": 1, "Dropped": 2})
    file = new_file(old, "newer schema")
    file.write_model()
    single = struct.unpack("<I", struct.pack("<f", 0.1))[0]
    rows = {
        1: {"flag": True, "small": -7, "middle": 1 << 30, "big": -1200, "single": single, "link": b"urn:x", "word": "é".encode(),
            "id": bytes(range(16)), "gone": b"gone", "title": b"Title"},
        2: {"flag": False, "big": 0}}
    lowest = Segment([file.put("Row", rows), file.put("Dropped", {1: {"x": 1}})])
    file.next_keys = {1: 3, 2: 2}
    file.commit([lowest])

    def double(number):
        return struct.unpack("<Q", struct.pack("<d", number))[0]
    defaults = {"added": "new", "count": -5, "price": "1.50", "when": -0.5, "sure": True}
    new = Schema(NEW, {"Row": 1, "Added": 3}, known=old, numbers={("Row", "heading"): old.numbers["Row", "title"]},
                 defaults={("Row", name): value for name, value in defaults.items()}, backwards=True)
    file.change_model(new)
    file.write_model()
    second = Segment([file.put("Row", {3: {"flag": 1 << 40, "heading": b"Heading", "added": None, "count": 1}}, bases=[0]),
                      file.change("Row", {2: {"added": None, "price": (5, 0)}}, bases=[1])])
    file.next_keys = {1: 4, 2: 2}
    commit = file.commit([lowest, second])
    # The old values as the new schema reads them (3.6).
    found = {**commit.objects["Row"][1], "flag": 1, "small": struct.unpack("<I", struct.pack("<f", -7.0))[0], "middle": double(2.0 ** 30),
             "big": (-12, 2), "single": double(struct.unpack("<f", struct.pack("<I", single))[0]), "heading": b"Title"}
    commit.objects["Row"][1] = found
    commit.objects["Row"][2].update(flag=0, big=(0, 0))
    return file.bytes(), file.lines()
