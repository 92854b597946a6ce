"""Gold files of XML stores (5), documents (7) and packed documents (8)."""

import hashlib
import plistlib

from documentwriter import (
    MIME_TYPE, Part, aligned, archive, database_info, manifest, model_entry, usual_archive, uuid_text, xml_metadata)
from filewriter import Segment, features
from gold import NOTES, attribute, entity, feature, identity, new_file, notes, to_many, to_one, xml_model
from identity import digest, sum_of
from schemawriter import Plan

DATE, LATER = "2026-11-22T01:13:59.250Z", "2026-11-23T23:59:59.999Z"


# --- 5: XML stores


def xml_store(words, model, objects, highest=1000, more=None, declaration='<?xml version="1.0" encoding="UTF-8"?>\n'):
    info = database_info(identity(words)[0], highest, xml_metadata(model, more))
    return f'{declaration}<!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">\n<database>{info}\n{objects}</database>'


LIBRARY = xml_model(
    entity("Author", attribute("name", "String"), attribute("born", "Date"), to_many("books", "Book", "author", True)),
    entity("Book", attribute("title", "String"), attribute("pages", "Integer 32"), to_one("author", "Author", "books")),
    entity("Comic", parent="Book"))

LIBRARY_OBJECTS = """
<object type="AUTHOR" id="z1"><attribute name="born" type="date">-1000000000.50000000000000000000</attribute>
<attribute name="name" type="string">Ursula \\u3c00K.\\u3E00 Le Guin</attribute>
<relationship name="books" type="0/0" destination="BOOK" idrefs="z3 z2"></relationship></object>
<object type="BOOK" id="z2"><attribute name="pages" type="int32">341</attribute>
<attribute name="title" type="string">The Dispossessed</attribute>
<relationship name="author" type="0/1" destination="AUTHOR" idrefs="z1"></relationship></object>
<object type="COMIC" id="z3"><attribute name="title" type="string">Catwings</attribute>
<relationship name="author" type="0/1" destination="AUTHOR" idrefs="z1"></relationship></object>
"""
LIBRARY_LINES = [
    "Author 1 books=3,2 born=c1cdcd6500400000 name=" + "Ursula <K.> Le Guin".encode().hex(),
    "Book 2 author=1 pages=341 title=" + b"The Dispossessed".hex(), "Comic 3 author=1 title=" + b"Catwings".hex()]


@feature("xml-as-core-data", "XML store", "The form of Core Data: names in upper and lower case, dates with twenty decimals")
def xml_as_core_data():
    return xml_store("core data", LIBRARY, LIBRARY_OBJECTS, 101).encode(), LIBRARY_LINES


@feature("xml-odd-order", "XML store", "Objects and properties in another order and in odd letters, comments, instructions, spaces, UTF-16")
def xml_odd_order():
    objects = """<!-- Nothing is in order. --><?nothing here?>
      <object id="z3" type="cOMIC"><relationship idrefs="
      z1 " name="AUTHOR" destination="nothing" type="9/9"/><attribute name="title">Catwings</attribute></object>
      <object type="Book" id="z2"><attribute name="pages"> +341 </attribute>
      <attribute name="TITLE" type="bool"><![CDATA[The ]]>Dispossessed</attribute>
      <relationship name="author" idrefs="z1"/></object>
      <object type="author" id="z1"><attribute name="born">-1.0000000005E9</attribute><relationship name="books" idrefs="z3\tz2"/>
      <attribute name="name">Ursula \\u3c00K.&gt; Le Guin</attribute></object>"""
    text = xml_store("odd", LIBRARY, objects, declaration='<?xml version="1.0" encoding="UTF-16"?>')
    return b"\xff\xfe" + text.encode("utf-16-le"), LIBRARY_LINES


@feature("xml-values", "XML store", "Values of every type: the least and the greatest, escapes, several not-a-numbers, bytes over several lines")
def xml_values():
    kinds = {"flag": "Boolean", "small": "Integer 16", "middle": "Integer 32", "large": "Integer 64", "ratio": "Float", "real": "Double",
             "when": "Date", "money": "Decimal", "name": "String", "link": "URI", "bytes": "Binary", "token": "UUID"}
    rows = {
        1: {"flag": ("1", "true"), "small": ("-32768", "-32768"), "middle": ("2147483647", "2147483647"),
            "large": ("-9223372036854775808", "-9223372036854775808"), "ratio": ("1.96e1", "419ccccd"),
            "real": ("nan(7ff8000000000001)", "7ff8000000000001"), "when": ("inf", "7ff0000000000000"),
            "money": ("-12.500", "-125e-1"), "name": ("\\u5c00u\\u0d00\n\t\\uFFFF", "5c750d0a09efbfbf"),
            "link": ("urn:x:1", b"urn:x:1".hex()), "bytes": ("AP\n 8K", "00ff0a"),
            "token": ("6fb9df54-A60E-4A15-8C3B-1D2E3F405162", "6fb9df54a60e4a158c3b1d2e3f405162")},
        2: {"flag": ("0", "false"), "ratio": ("-inf", "ff800000"), "real": ("-0", "8000000000000000"), "when": ("1e-300", "01a56e1fc2f8f359"),
            "money": ("NaN", "nan"), "name": ("", ""), "bytes": ("", ""), "link": ("\\u3dd8\\u00de", "😀".encode().hex())},
        3: {"ratio": ("nan", "7fc00000"), "money": ("1e165", "1e165"), "real": ("5e-324", "0000000000000001")},
        281474976710655: {}}
    objects = "".join(
        f'<object type="THING" id="z{key}">' + "".join(f'<attribute name="{name}">{text}</attribute>' for name, (text, _) in row.items())
        + "</object>" for key, row in rows.items())
    model = xml_model(entity("Thing", *(attribute(name, kind) for name, kind in kinds.items())))
    lines = [" ".join([f"Thing {key}", *(f"{name}={row[name][1]}" for name in sorted(row))]) for key, row in rows.items()]
    return xml_store("values", model, objects, highest=281474976710655).encode(), lines


@feature("xml-links", "XML store", "Links that one end lists, references that only one side has, an object that is linked with itself",
         ["XMLS-023", "XMLS-025"])
def xml_links():
    model = xml_model(
        entity("Note", to_many("tags", "Tag", "notes", True), to_many("friends", "Note", "friends"), to_one("parent", "Note", "children"),
               to_many("children", "Note", "parent"), to_many("seen", "Tag")), entity("Tag", to_many("notes", "Note", "tags")))
    objects = """<object type="NOTE" id="z1"><relationship name="tags" idrefs="z4 z3"/><relationship name="friends" idrefs="z1 z2"/>
      <relationship name="seen" idrefs="z3"/></object>
      <object type="NOTE" id="z2"><relationship name="tags" idrefs="z3"/><relationship name="friends" idrefs="z1"/>
      <relationship name="children" idrefs="z5"/></object>
      <object type="TAG" id="z3"><relationship name="notes" idrefs="z1 z2"/></object><object type="TAG" id="z4"/>
      <object type="NOTE" id="z5"/><object type="NOTE" id="z6"><relationship name="parent" idrefs="z5"/></object>"""
    lines = ["Note 1 friends=1,2 seen=3 tags=4,3", "Note 2 children=5 friends=1 tags=3", "Note 5 children=6 parent=2", "Note 6 parent=5",
             "Tag 3 notes=1,2", "Tag 4 notes=1"]
    return xml_store("links", model, objects).encode(), lines


@feature("xml-metadata", "XML store", "Numbers of entities of its own, values in QuireValues, names of the application")
def xml_metadata_store():
    more = {"QuireEntityNumbers": {"Author": 9, "Book": 4, "Comic": 17}, "QuireHighestEntityNumber": 17, "App.seen": ["a", 1, {"b": b"c"}],
            "QuireValues": plistlib.dumps({"App.text": "\x01"}, fmt=plistlib.FMT_BINARY)}
    return xml_store("metadata", LIBRARY, LIBRARY_OBJECTS, more=more).encode(), LIBRARY_LINES


@feature("xml-lanes", "XML store", "A copy whose place is another, with numbers of three lanes, and nextObjectID outside of its own lane")
def xml_lanes():
    starts = [1 << 47, (1 << 47) + 65536]
    more = {"QuireLanes": {str(start): "0123456789abcdef" for start in starts}, "QuireLane": str(starts[1]), "QuirePlace": "12 0"}
    numbers = [1, starts[0] + 1]
    objects = "".join(f'<object type="NOTE" id="z{number}"/>' for number in numbers)
    return xml_store("lanes", NOTES, objects, highest=numbers[1], more=more).encode(), [f"Note {number}" for number in numbers]


# --- 7: documents


def note_store(words, numbers=(1,), is_compressed=False, name="Note"):
    """A store with a commit for each number: the first has three notes, and each later one changes one of them."""
    file = new_file(Plan(NOTES, {"Note": 1}), words, is_compressed=is_compressed)
    file.write_model()
    file.next_keys[1] = 4
    segments = [Segment([file.put(name, notes(3))])]
    file.commit(segments, number=numbers[0])
    for place, number in enumerate(numbers[1:]):
        add_change(file, segments, place % 3 + 1, number)
    return file, segments


def add_change(file, segments, key, number, metadata=None, **options):
    basis = max(entry.fields[5] for segment in segments for entry in segment.entries if key in entry.rows)
    if metadata is not None:
        file.section("metadata", file.plan.metadata(file.uuid, file.kind, metadata))
    segments.append(Segment([file.change("Note", {key: {"stars": number % 1000}}, bases=[basis], version=number)]))
    return file.commit(segments, number=number, **options)


def members(stores, versions, models=None, **more):
    """The members of a manifest that every manifest has (7.3.3)."""
    return {
        "format": "quire-document", "formatVersion": 1, "uuid": "0f6e1a52-8C3B-4A15-A60E-1D2E3F405162", "created": DATE, "model": "1",
        "models": models or [model_entry("1", "models/1.xml", NOTES)], "stores": stores,
        "versions": [one if isinstance(one, dict) else {"number": one, "saved": DATE, "model": "1"} for one in versions], **more}


def store_entry(file, commit, name="main", path="stores/main.store", **more):
    return {"name": name, "type": file.kind, "file": path, "uuid": uuid_text(file.uuid), "commit": commit, **more}


def document(file, commit, versions, shown=None, in_log=(), **more):
    """The files of a document with one store, written as the manifest's members come, and its lines."""
    found = members([store_entry(file, commit)], versions, **more)
    files = {"manifest.json": manifest(found), "models/1.xml": NOTES.encode(), "stores/main.store": file.bytes()}
    return files, document_lines(found, of_file(file, shown), in_log=in_log)


def of_file(file, commit=None):
    """The lines of the objects of a store, and those of its rows (7.7.9)."""
    return file.lines(commit), file.row_lines(commit)


def of_text(*lines):
    """The same for a store without references and links, whose rows have the lines of the objects."""
    return lines, lines


def document_lines(found, *stores, in_log=()):
    """What `read` prints of a head. `found` are the members of its manifest, `stores` the lines of each store, `in_log` the versions in the log."""
    versions, attachments = [*found["versions"], *in_log], [one for one in found.get("attachments", []) if one.get("until") is None]
    lines = [line for entry, store in zip(found["stores"], stores, strict=True) for line in (f"store {entry['name']}", *store[0])]
    lines += [f"version {one['number']}" for one in versions]
    model = next(one for one in found["models"] if one["name"] == versions[-1]["model"])
    hashes = {name: bytes.fromhex(text) for name, text in model["entities"].items()}
    sums = {entry["uuid"].upper(): sum_of(store[1]) for entry, store in zip(found["stores"], stores)}
    lines.append(f"identity {versions[-1]['number']} {digest(versions[-1], hashes, sums, attachments)}")
    for one in sorted(attachments, key=lambda one: (one["name"].encode(), one.get("content", False))):
        lines.append(f"attachment {one['name'].encode().hex()} {one['byteCount']}" + (" content" if one.get("content") else ""))
    return lines


@feature("document", "document", "A manifest with members in another order, unknown members, escapes and null, and files that no clause names",
         ["MANI-012", "CONT-017", "CONT-016"])
def plain_document():
    file, _ = note_store("document", (1, 4))
    found = members([{"hue": {"a": [1, 2.5e3, None]}, **store_entry(file, 4), "options": {"cache": "no"}}],
                    [{"model": "1", "saved": DATE, "number": 1, "x": 1},
                     {"number": 4, "message": "Caf\u00e9 \U0001f600", "author": None, "saved": LATER, "model": "1"}])
    found = {**dict(reversed(found.items())), "title": "B\u00fccher", "metadata": {"b": "2", "a": "1"}, "log": None, "colour": True}
    return {
        "manifest.json": manifest(found, indent=7, end="\r\n\t "), "models/1.xml": NOTES.encode(), "stores/main.store": file.bytes(),
        "notes.txt": b"mine", ".lock": b"", "stores/main-9.store": b"left"}, document_lines(found, of_file(file))


@feature("several-stores", "document", "A plain, a compressed and an XML store, of which each has the entities of a configuration")
def several_stores():
    model = xml_model(entity("Note", attribute("text", "String")), entity("Tag", attribute("name", "String")), entity("Place"),
                      more='<configuration name="N"><memberEntity name="Note"/></configuration><configuration name="T"><memberEntity name="Tag"/>'
                           '</configuration><configuration name="P"><memberEntity name="Place"/></configuration>')
    plan = Plan(model, {"Note": 1, "Tag": 2, "Place": 3})
    files = {}
    for name, owner, column, is_compressed in (("n", "Note", "text", False), ("t", "Tag", "name", True)):
        file = files[name] = new_file(plan, name, is_compressed=is_compressed)
        file.write_model()
        file.next_keys[plan.entities[owner]] = 3
        file.commit([Segment([file.put(owner, {1: {column: b"one"}, 2: {}}, codec=is_compressed)])], number=2)
    xml = xml_store("p", model, '<object type="PLACE" id="z1"/>').encode()
    entries = [
        {"name": "places", "type": "XML", "file": "stores/places-1.xml", "uuid": uuid_text(identity("p")[0], False), "commit": 1,
         "configuration": "P"},
        store_entry(files["t"], 2, "tags", "stores/T.2", configuration="T"),
        store_entry(files["n"], 2, "notes", "stores/N.store", configuration="N")]
    found = members(entries, [2], models=[model_entry("1", "models/all.model.xml", model)])
    lines = document_lines(found, of_text("Place 1"), of_file(files["t"]), of_file(files["n"]))
    return {"manifest.json": manifest(found), "models/all.model.xml": model.encode(), "stores/places-1.xml": xml,
            "stores/T.2": files["t"].bytes(), "stores/N.store": files["n"].bytes()}, lines


def logged(number, saved="2001-01-01T00:00:00.000Z", **more):
    """A version in the log (7.4.11), whose date is the time of its commit."""
    return {"number": number, "saved": saved, "model": "1", **more}


@feature("log", "document", "Versions in the log behind those of the manifest, a prepared commit behind them, reserved keys, a message", ["CONT-015"])
def log():
    file, segments = note_store("log", (1, 2))
    metadata = {"QuireVersionBefore": {"3": 2}, "QuireCommitMessage": {"3": "In the log"}}
    add_change(file, segments, 2, 3, metadata, author="Ada", acknowledges=True)
    # A commit that sets keys aside repeats the number (4.4.1).
    file.next_keys[1] = 1000
    file.commit(segments, number=3)
    last = add_change(file, segments, 3, 7, {"QuireVersionBefore": {"7": 3}}, acknowledges=True)
    # Without the number of the version before it, a commit is not a version (7.4.11).
    add_change(file, segments, 1, 8, {})
    file.name(0, file.commits[1])
    file.name(1, file.commits[0])
    versions = [logged(3, author="Ada", message="In the log"), logged(7)]
    return document(file, 2, [1, 2], last, versions, log="main")


@feature("log-with-tail", "document", "A log whose last commits lie in the tail, one of them torn", ["CONT-015"])
def log_with_tail():
    file, segments = note_store("log with tail", (1,))
    first = add_change(file, segments, 1, 2, {"QuireVersionBefore": {"2": 1}}, acknowledges=True)
    file.name(0, file.commits[0], 8192)
    start = len(file.data)
    add_change(file, segments, 2, 3, {"QuireVersionBefore": {"3": 2}})
    files, lines = document(file, 1, [1], first, [logged(2)], log="main")
    data = bytearray(files["stores/main.store"])
    data[start + 16:start + 80] = bytes(64)
    files["stores/main.store"] = bytes(data).ljust(8192, b"\0")
    return files, lines


@feature("uncounted-commits", "document", "Commits behind the one that counts, a torn commit between two that count, a slot that is behind",
         ["CONT-015", "BLCK-022"])
def uncounted_commits():
    file, segments = note_store("uncounted", (1, 2))
    counted = file.commits[-1]
    # A save that was prepared and torn, and the next one on top of the commit that counts.
    file.data += bytes(range(200))
    file.start = len(file.data)
    third = add_change(file, segments, 2, 3)
    add_change(file, segments, 3, 4)
    file.name(1, counted)
    return document(file, 3, [1, 2, 3], third)


@feature("earlier-files", "document", "A block file in place of two others, one of them under another UUID; an XML store with a file for each commit")
def earlier_files():
    earliest, _ = note_store("earliest", (1,))
    old, _ = note_store("earlier", (2, 3))
    file, _ = note_store("earlier", (5, 6))
    earlier = [
        {"file": "stores/main-1.store", "commit": 1, "until": 2, "model": "1", "uuid": uuid_text(earliest.uuid)},
        {"file": "stores/main-3.store", "commit": 3, "until": 5, "model": "1"}]
    texts = {number: xml_store("pages", NOTES, f'<object type="NOTE" id="z{number}"/>').encode() for number in (1, 3, 6)}
    pages = {"name": "pages", "type": "XML", "file": "stores/pages-6.xml", "uuid": uuid_text(identity("pages")[0]), "commit": 6, "earlier": [
        {"file": f"stores/pages-{number}.xml", "commit": number, "until": until, "model": "1"} for number, until in ((1, 3), (3, 6))]}
    found = members([store_entry(file, 6, earlier=earlier), pages], [1, 2, 3, 5, 6])
    stores = {"stores/main.store": file.bytes(), "stores/main-1.store": earliest.bytes(), "stores/main-3.store": old.bytes(),
              **{f"stores/pages-{number}.xml": text for number, text in texts.items()}}
    return {"manifest.json": manifest(found), "models/1.xml": NOTES.encode(), **stores}, document_lines(found, of_file(file), of_text("Note 6"))


def attachment(name, data, since, **more):
    return {"name": name, "digest": hashlib.sha256(data).hexdigest(), "byteCount": len(data), "since": since, **more}


def attached(files, *contents):
    return {**files, **{f"attachments/{hashlib.sha256(data).hexdigest()}": data for data in contents}}


@feature("attachments", "document", "Attachments that were replaced, two that share a file, the application's own content under the same name")
def attachments():
    file, _ = note_store("attachments", (1, 2))
    listed = [
        attachment("lisbon.jpg", b"abc", 1, until=2), attachment("lisbon.jpg", b"", 2), attachment("copy/of \u00e9.jpg", b"abc", 2, until=None),
        attachment("lisbon.jpg", b"own", 1, content=True), attachment("x" * 1024, b"abc", 1, content=False)]
    files, lines = document(file, 2, [1, 2], attachments=listed)
    return attached(files, b"abc", b"", b"own"), lines


@feature("undo", "document", "Versions with gaps, names and messages, of which two came by undo and one was forgotten")
def undo():
    file, _ = note_store("undo", (2, 5, 9, 1 << 40))
    versions = [
        {"number": 2, "saved": DATE, "model": "1", "name": "First"}, {"number": 5, "saved": DATE, "model": "1", "author": "Ada"},
        {"number": 9, "saved": LATER, "model": "1", "undoneTo": 3, "message": ""}, {"number": 1 << 40, "saved": LATER, "model": "1", "undoneTo": 2}]
    return document(file, 1 << 40, versions)


def featured(words):
    file = new_file(Plan(NOTES, {"Note": 1}), words, features=features((1, "thumbnails")))
    file.write_model()
    file.next_keys[1] = 4
    file.commit([Segment([file.put("Note", notes(3))])])
    return file


@feature("document-feature-ignore", "document", "A document with features of the class ignore, and a store with one of its own",
         ["MANI-027", "BLCK-009"])
def document_feature_ignore():
    file = featured("document ignore")
    return document(file, 1, [1], features={"thumbnails": "ignore", "x" * 32: "ignore"})


@feature("document-feature-read", "document", "A document with features of the classes ignore and read", ["MANI-027", "BLCK-009"],
         may_change=False)
def document_feature_read():
    file = featured("document read")
    return document(file, 1, [1], features={"thumbnails": "ignore", "page-index": "read"})


@feature("recovery", "document", "A recovery beside the manifest, which names a prepared commit that does not count", ["CONT-019", "CONT-015"])
def recovery():
    file, segments = note_store("recovery", (1,))
    counted = file.commits[0]
    add_change(file, segments, 1, 2)
    files, lines = document(file, 1, [1], counted)
    return {**files, "recovery.json": manifest(members([store_entry(file, 2)], [1, 2]), indent=1)}, lines


# --- 8: packed documents


def sample(words):
    file, _ = note_store(words, (1, 2))
    xml = xml_store(words + " xml", NOTES, "").encode()
    entries = [store_entry(file, 2), {
        "name": "more", "type": "XML", "file": "stores/more.xml", "uuid": uuid_text(identity(words + " xml")[0]), "commit": 1}]
    found = members(entries, [1, 2], attachments=[attachment("note", b"text", 1)])
    files = {"manifest.json": manifest(found), "models/1.xml": NOTES.encode(), "stores/main.store": file.bytes(), "stores/more.xml": xml}
    return attached(files, b"text"), document_lines(found, of_file(file), of_text())


@feature("packed", "packed document", "The archive that 8.3 gives, from another compressor")
def packed():
    files, lines = sample("packed")
    return usual_archive(files), lines


@feature("packed-again", "packed document", "Entries in another order, without folders and modes, the type last, hidden names, a deflated block file")
def packed_again():
    files, lines = sample("packed again")
    parts = [Part(name, data, is_deflated=len(name) % 2 == 0 or name.endswith(".store"), level=index, has_mode=False)
             for index, (name, data) in enumerate(sorted(files.items(), reverse=True))]
    return archive([*parts, Part(".lock", b""), Part("stores/.hidden/x", b"y"), Part("mimetype", MIME_TYPE, True)]), lines


@feature("packed-without-type", "packed document", "An archive without the type, descriptors of each form behind entries, foreign extra fields")
def packed_without_type():
    files, lines = sample("packed without type")
    forms = ["bare", "signed", "large", None]
    parts = [Part(name, data, index % 2 == 1, forms[index % 4], extra=b"\x55\x54\5\0\1\0\0\0\0" if index % 3 == 0 else b"")
             for index, (name, data) in enumerate(sorted(files.items()))]
    return archive([Part("stores/"), *parts]), lines


@feature("packed-zip64", "packed document", "Sizes of 64 bits although they are small, and the end records of 64 bits")
def packed_zip64():
    files, lines = sample("packed zip64")
    first = Part("mimetype", MIME_TYPE)
    store = aligned("stores/main.store", files["stores/main.store"], len(first.header() + first.stored))
    rest = [Part(name, data, name.endswith(".xml"), is_large=True) for name, data in files.items() if name != "stores/main.store"]
    return archive([first, store, *rest], has_large_end=True), lines
