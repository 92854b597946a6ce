"""Gold files of documents with several heads (7.7)."""

import copy

from documentwriter import manifest, model_entry, uuid_text
from filewriter import Segment, reference
from gold import attribute, entity, feature, identity, new_file, to_many, to_one, xml_model
from golddocuments import DATE, LATER, attached, attachment, document_lines, logged, members, of_file, store_entry, xml_store
from schemawriter import Plan

LANE = (1 << 47) + 65536 * 7
REPLICA = {str(LANE): "fedcba9876543210"}
LIBRARY = xml_model(
    entity("Book", to_many("notes", "Note", "book", True)),
    entity("Note", attribute("stars", "Integer 16"), attribute("price", "Decimal"), attribute("text", "String"), attribute("when", "Date"),
           to_one("next", "Note"), to_one("book", "Book", "notes"), to_many("tags", "Tag", "notes", True)),
    entity("Tag", attribute("name", "String"), to_many("notes", "Note", "tags"), to_many("related", "Tag", "related")))


class Rows:
    """Makes rows of the library, with references by entity and key."""

    def __init__(self, plan):
        self.plan = plan

    def note(self, text, next_key=None, book=None, place=None, **more):
        found = {"text": text.encode(), "book#order": place, **more}
        for name, owner, key in (("next", "Note", next_key), ("book", "Book", book)):
            found[name] = reference(self.plan, owner, key) if key else None
        return found

    def link(self, source, target, **more):
        return {"source": reference(self.plan, *source), "target": reference(self.plan, *target), **more}


def library(words, plan, links, **more):
    """A store with a commit of number 1 with a book, two notes and two tags, and the segment of the commit."""
    file, rows = new_file(plan, words), Rows(plan)
    file.write_model()
    notes = {2: rows.note("Évora", 3, 1, 2, stars=1, **more), 3: rows.note("Faro", None, 1, 1)}
    related = {1: rows.link(("Tag", 4), ("Tag", 5)), 2: rows.link(("Tag", 5), ("Tag", 5))}
    blocks = [file.put("Book", {1: {}}), file.put("Note", notes), file.put("Tag", {4: {"name": b"four"}, 5: {}}), file.put(links, {
        1: rows.link(("Note", 2), ("Tag", 5), **{"target#order": 1}), 2: rows.link(("Note", 2), ("Tag", 4), **{"target#order": 2}),
        3: rows.link(("Note", 3), ("Tag", 4), **{"target#order": 1})}), file.put("Tag.related", related)]
    file.next_keys = {plan.entities["Book"]: 2, plan.entities["Note"]: 4, plan.entities["Tag"]: 6, plan.tables[links]: 4,
                      plan.tables["Tag.related"]: 3}
    segments = [Segment(blocks)]
    file.commit(segments, number=1)
    return file, segments


def changed(file, number, stars, basis):
    return Segment([file.change("Note", {2: {"stars": stars}}, bases=[basis], version=number)])


def version(number, saved=DATE, **more):
    return {"number": number, "saved": saved, "model": "1", **more}


def model_list():
    return [model_entry("1", "models/1.xml", LIBRARY)]


@feature("heads", "document", "Two heads that merged each other; the copy of the store draws a lane, and contains a commit of the other head",
         ["BLCK-022"])
def heads():
    # `tags` leads from source to target, although `notes` of the entity with the lower number gives the table its name.
    plan = Plan(LIBRARY, {"Tag": 1, "Note": 3, "Book": 7}, {"Tag.notes": 9, "Tag.related": 8}, defaults={("Note", "price"): "1.50"},
                turned=("Tag.notes",))
    main, segments = library("heads", plan, "Tag.notes")
    rows = Rows(plan)
    segments.append(changed(main, 2, -2, 1))
    main.commit(segments, number=2)
    # The head is at version 1, so its next commit follows the first one, behind all bytes (7.4.2).
    draft, of_draft = copy.deepcopy(main), segments[:1]
    draft.place = 77
    draft.section("metadata", plan.metadata(draft.uuid, draft.kind, {"QuireLanes": REPLICA, "QuireLane": str(LANE)}))
    draft.next_keys = {3: LANE + 2, 9: LANE + 2}

    def added(file, number):
        """What version 3 adds, in the lane of the draft."""
        link = rows.link(("Note", LANE + 1), ("Tag", 4), **{"target#order": -1})
        return Segment([file.put("Note", {LANE + 1: rows.note("Porto", 2, price=(5, 1))}, version=number, bases=[0]),
                        file.put("Tag.notes", {LANE + 1: link}, version=number, bases=[0])])
    of_draft.append(added(draft, 3))
    draft.commit(of_draft, number=3, previous=draft.commits[0])
    main.section("metadata", plan.metadata(main.uuid, main.kind, {"QuireLanes": REPLICA}))
    segments.append(added(main, 4))
    main.commit(segments, number=4, author="Ada")
    of_draft.append(changed(draft, 5, -2, 1))
    draft.commit(of_draft, number=5)
    plan_text, own = attachment("plan.txt", b"plan", 1), attachment("plan.txt", b"own", 1, content=True)
    found = members(
        [store_entry(main, 4)],
        [version(1, author="Ada", name="First"), version(2),
         version(4, LATER, author="Ada", message="", merged=[3], received=["f9" * 32, "0a" * 32])],
        model_list(), heads=["draft"], attachments=[own, plan_text])
    other = members(
        [store_entry(draft, 5, path="stores/main.draft-3.store")],
        [version(1, author="Ada"), version(3, LATER, author="Bob"), version(5, LATER, message="Caf\u00e9\n", merged=[4, 2])], model_list(),
        head="draft", attachments=[{**own, "until": 3}, attachment("a \u00e9", b"plan", 3), plan_text])
    files = {"manifest.json": manifest(found), "heads/draft.json": manifest(other, indent=1), "heads/current": b"main\n",
             "models/1.xml": LIBRARY.encode(), "stores/main.store": main.bytes(), "stores/main.draft-3.store": draft.bytes()}
    lines = [*document_lines(found, of_file(main)), "head draft", *document_lines(other, of_file(draft))]
    return attached(files, b"plan", b"own"), lines


def library_text(words, stars):
    """The rows of `library` as an XML store, with another value in one of them, and the lines of the objects."""
    objects = f"""<object type="BOOK" id="z1"><relationship name="notes" idrefs="z3 z2"/></object>
      <object type="NOTE" id="z2"><attribute name="stars">{stars}</attribute><attribute name="price">-12.50</attribute>
      <attribute name="text">Évora</attribute><attribute name="when">0.5</attribute><relationship name="next" idrefs="z3"/>
      <relationship name="book" idrefs="z1"/><relationship name="tags" idrefs="z5 z4"/></object>
      <object type="NOTE" id="z3"><attribute name="text">Faro</attribute><relationship name="book" idrefs="z1"/>
      <relationship name="tags" idrefs="z4"/></object>
      <object type="TAG" id="z4"><attribute name="name">four</attribute><relationship name="notes" idrefs="z2 z3"/>
      <relationship name="related" idrefs="z5"/></object>
      <object type="TAG" id="z5"><relationship name="notes" idrefs="z2"/><relationship name="related" idrefs="z4 z5"/></object>"""
    text, faro = "Évora".encode().hex(), b"Faro".hex()
    return xml_store(words, LIBRARY, objects).encode(), [
        "Book 1 notes=3,2", f"Note 2 book=1 next=3 price=-125e-1 stars={stars} tags=5,4 text={text} when=3fe0000000000000",
        f"Note 3 book=1 tags=4 text={faro}", f"Tag 4 name={b'four'.hex()} notes=2,3 related=5", "Tag 5 notes=2 related=4,5"]


@feature("heads-log", "document", "A head with a log and a recovery; a block file and an XML store with the same rows; an earlier file of two heads",
         ["CONT-015", "CONT-019"])
def heads_log():
    plan = Plan(LIBRARY, {"Book": 1, "Note": 2, "Tag": 3}, {"Note.tags": 4, "Tag.related": 5})
    main, segments = library("heads log", plan, "Note.tags", price=(-125, -1), when=0x3FE0000000000000)
    segments.append(changed(main, 2, 2, 1))
    main.commit(segments, number=2)
    draft, of_draft = copy.deepcopy(main), list(segments)
    segments.append(changed(main, 4, 4, 2))
    main.commit(segments, number=4)

    def add(stars, number, before, metadata, **options):
        draft.section("metadata", plan.metadata(draft.uuid, draft.kind, {"QuireVersionBefore": {str(number): before}, **metadata}))
        of_draft.append(changed(draft, number, stars, max(2, before)))
        return draft.commit(of_draft, number=number, **options)
    add(3, 3, 2, {}, time=817207200125, author="Bob", acknowledges=True)
    message = {"QuireCommitMessage": {"6": "In the log"}}
    add(6, 6, 3, message, time=817288200000, author="Ada", acknowledges=True)
    # A commit that draws a lane keeps the metadata, and is not a version of its own; the one before it made version 6.
    lane = {**message, "QuireLanes": REPLICA, "QuireLane": str(LANE)}
    draft.section("metadata", plan.metadata(draft.uuid, draft.kind, {"QuireVersionBefore": {"6": 3}, **lane}))
    draft.next_keys = {2: LANE + 1000}
    shown = draft.commit(of_draft, number=6, time=817344000001, acknowledges=True)
    draft.name(0, draft.commits[1])
    draft.section("metadata", plan.metadata(draft.uuid, draft.kind, lane))
    of_draft.append(changed(draft, 7, 7, 6))
    draft.commit(of_draft, number=7)

    texts = {number: library_text("heads log xml", number) for number in (1, 2, 4)}
    earlier = [{"file": f"stores/pages-{number}.xml", "commit": number, "until": until, "model": "1"} for number, until in ((1, 2), (2, 4))]

    def pages(path, commit, earlier):
        uuid = uuid_text(identity("heads log xml")[0], False)
        return {"name": "pages", "type": "XML", "file": path, "uuid": uuid, "commit": commit, "earlier": earlier}
    found = members([store_entry(main, 4), pages("stores/pages-4.xml", 4, earlier)], [version(1), version(2, message="Two"), version(4, LATER)],
                    model_list(), heads=["draft"])
    copied = pages("stores/draft_pages.xml", 2, earlier[:1])
    versions = [version(1), version(2, message="Two")]
    other = members([copied, store_entry(draft, 2, path="stores/DRAFT.store")], versions, model_list(), head="draft", log="main")
    log = [logged(3, "2026-11-24T10:00:00.125Z", author="Bob"), logged(6, "2026-11-25T08:30:00.000Z", author="Ada", message="In the log")]
    recovery = members([copied, store_entry(draft, 7, path="stores/DRAFT.store")], [*versions, *log, version(7)], model_list(), head="draft")
    files = {"manifest.json": manifest(found), "heads/draft.json": manifest(other), "heads/draft.recovery.json": manifest(recovery),
             "models/1.xml": LIBRARY.encode(), "stores/main.store": main.bytes(), "stores/DRAFT.store": draft.bytes(),
             "stores/draft_pages.xml": texts[2][0], **{f"stores/pages-{number}.xml": text for number, (text, _) in texts.items()}}
    lines = document_lines(found, of_file(main), (texts[4][1], main.row_lines()))
    # At version 2 both stores had the same rows.
    lines += ["head draft", *document_lines(other, (texts[2][1], draft.row_lines(draft.commits[1])), of_file(draft, shown), in_log=log)]
    return files, lines
