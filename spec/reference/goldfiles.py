"""Gold files of what a block file does with commits: their order and parts, segments, slots, acknowledgements and tails (4)."""

from filewriter import Segment, features
from gold import NOTES, attribute, entity, feature, new_file, notes, xml_model
from records import UNSETTLED
from schemawriter import Index, Plan


def note_file(words, **options):
    return new_file(Plan(NOTES, {"Note": 1}), words, **options)


def first_notes(words, count=3, **options):
    """A file whose first commit has notes, and the segment of these notes."""
    file = note_file(words, **options)
    file.write_model()
    segment = Segment([file.put("Note", notes(count))])
    file.next_keys[1] = count + 1
    file.commit([segment])
    return file, segment


def change(file, segments, key, **values):
    """Appends a block of one change, and returns the segments with one more."""
    return [*segments, Segment([file.change("Note", {key: values}, bases=[1])])]


@feature("no-objects", "block file", "A store as it is made: a commit without segments, and reserved keys")
def no_objects():
    file = note_file("no objects")
    file.write_model()
    file.next_keys[1] = 1 << 40
    file.commit()
    return file.bytes(), []


# --- 4.4: parts and their order


@feature("order-of-sections", "block file", "Sections in an unusual order: blocks before the model, each commit with the sections of its own")
def order_of_sections():
    file = note_file("order")
    late = file.put("Note", notes(2, 40))
    file.section("schema", file.plan.data)
    early = file.put("Note", notes(3))
    file.section("metadata", file.plan.metadata(file.uuid, file.kind, {"App.note": "first"}))
    file.section("model", file.plan.xml)
    file.next_keys[1] = 42
    file.commit([Segment([late, early])])
    # A commit may write the metadata again, and refers to blocks of the commit before.
    removed = file.remove("Note", [2, 41], bases=[1, 1])
    file.section("metadata", file.plan.metadata(file.uuid, file.kind, {"App.note": "second"}))
    file.commit([Segment([late, early]), Segment([removed])])
    return file.bytes(), file.lines()


@feature("order-of-numbers", "block file", "Numbers of entities and properties with gaps, lists of the schema in another order, long names")
def order_of_numbers():
    names = ["Zug", "Ähre", "a" * 300, "B"]
    entities = [entity(name, attribute("größe", "Integer 32"), attribute("x" * 200, "String")) for name in names]
    plan = Plan(xml_model(*entities), dict(zip(names, (900, 17, 3, 65535))), first=61000, stride=11, backwards=True)
    file = new_file(plan, "numbers")
    file.write_model(("schema", "model", "metadata"))
    blocks = [file.put(name, {key: {"größe": key - 2, "x" * 200: b"w" * key} for key in range(1, 4)}) for name in names]
    file.next_keys = {number: 4 for number in plan.entities.values()}
    file.commit([Segment(blocks)])
    return file.bytes(), file.lines()


@feature("authors", "block file", "Authors, contexts, messages and names of commits, names of the application's own, the longest author")
def authors():
    file, segment = first_notes("authors")
    metadata = {"QuireNamedCommits": {"1": "Before the trip", "3": "\U0001f600"}, "QuireCommitMessage": {"2": "Café\nand more"},
                "App.blob": b"\0\1", "App.list": [1, 2.5, True, {"a": []}]}
    file.section("metadata", file.plan.metadata(file.uuid, file.kind, metadata))
    segments = change(file, [segment], 2, stars=9)
    file.commit(segments, author="Ursula", context="main", time=817152737846)
    segments = change(file, segments, 3, text=None)
    file.commit(segments, author="é" * 32767, context="", time=-(1 << 62))
    return file.bytes(), file.lines()


@feature("reserved-keys", "block file", "A commit that reserves keys and repeats the number of the commit before it")
def reserved_keys():
    file, segment = first_notes("reserved")
    file.next_keys[1] = 1000
    file.commit([segment], number=1)
    file.next_keys[1] = 2000
    file.commit([segment], number=1)
    file.commit([segment, Segment([file.put("Note", notes(2, 998), bases=[0, 0])])], number=2)
    return file.bytes(), file.lines()


@feature("forgotten-commits", "block file", "A rewritten file: its first commit has the number 7, and the commit that set the model is gone")
def forgotten_commits():
    file = note_file("forgotten")
    file.write_model()
    blocks = [file.put("Note", notes(2), version=3), file.put("Note", notes(3, 10), versions=[7, 2, 5])]
    file.next_keys[1], file.schema_number = 13, 4
    file.commit([Segment(blocks)], number=7)
    return file.bytes(), file.lines()


# --- 4.5: segments


@feature("sparse-changes", "block file", "Segments that change few rows and few columns, take values away, remove and put again")
def sparse_changes():
    file, lowest = first_notes("sparse", 8)
    changed = file.change("Note", {1: {"stars": 100}, 3: {"text": b"three"}, 5: {"stars": None, "text": None}, 8: {"stars": -1}}, bases=[1] * 4)
    removed = file.remove("Note", [2, 4, 7], bases=[1, 1, 1])
    second = Segment([removed, changed])
    file.commit([lowest, second])
    again = file.put("Note", {4: {"stars": 4}, 9: {"text": b""}}, bases=[0, 0])
    twice = file.change("Note", {3: {"stars": 33}, 5: {"stars": 5}}, bases=[2, 2])
    third = Segment([twice, again])
    file.next_keys[1] = 10
    file.commit([lowest, second, third])
    fourth = Segment([file.change("Note", {9: {"stars": 9}}, bases=[3]), file.remove("Note", [1], bases=[2])])
    file.commit([lowest, second, third, fourth])
    return file.bytes(), file.lines()


@feature("merged-segments", "block file", "Segments that a later commit merged, with a version for each row in place of one for the block")
def merged_segments():
    file, lowest = first_notes("merged", 4)
    segments = [lowest]
    for key in (5, 6, 7):
        file.next_keys[1] = key + 1
        segments = [*segments, Segment([file.put("Note", notes(1, key), bases=[0])])]
        file.commit(segments)
    # A `version` of 0: only the column has the versions (4.5.2).
    merged = Segment([file.put("Note", {key: row for key, row in notes(7).items() if key != 3}, versions=[1, 1, 1, 2, 3, 4], version=0)])
    file.commit([merged])
    file.commit([merged, Segment([file.put("Note", {3: {"text": b"new"}}, versions=[6])])])
    return file.bytes(), file.lines()


@feature("pages", "block file", "Pages of one and of a few entries, fewer than 17 blocks in pages, and a segment without pages beside them")
def pages():
    file = note_file("pages")
    blocks = [file.put("Note", notes(2, 10 * place + 1)) for place in range(12)]
    file.write_model()
    file.next_keys[1] = 200
    lowest = Segment(blocks, [1, 5, 1, 5])
    file.commit([lowest])
    more = Segment([file.put("Note", notes(1, 121 + 3 * place), bases=[0]) for place in range(3)], [3])
    file.commit([lowest, more])
    last = Segment([file.change("Note", {1: {"stars": 7}}, bases=[1])])
    file.commit([lowest, more, last])
    return file.bytes(), file.lines()


@feature("full-page", "block file", "130 blocks of one row in pages of 64, 64 and 2 entries")
def full_page():
    file = note_file("full page")
    file.write_model(("model", "schema", "metadata"))
    blocks = [file.put("Note", notes(1, 1 + 5 * place)) for place in range(130)]
    file.next_keys[1] = 1000
    file.commit([Segment(blocks, [64, 64, 2])], is_settled=True)
    return file.bytes(), file.lines()


INDEXED = xml_model(entity(
    "Note", attribute("stars", "Integer 16"), attribute("text", "String"),
    '<fetchIndex name="byStars"><fetchIndexElement property="stars"/></fetchIndex>'
    '<fetchIndex name="byText"><fetchIndexElement property="text"/><fetchIndexElement property="stars"/></fetchIndex>'))


def indexed_file(words):
    return new_file(Plan(INDEXED, {"Note": 4}, indexes=[Index(9, "Note", ["text", "stars"]), Index(2, "Note", ["stars"])], backwards=True), words)


@feature("index-entries", "block file", "Segments with entries of all indexes, of the first only, and of none; missing and equal values")
def index_entries():
    file = indexed_file("index")
    file.write_model()
    rows = {1: {"stars": 5, "text": b"b"}, 2: {"stars": -5, "text": b"a"}, 3: {"stars": None, "text": b"b"}, 4: {"stars": 5, "text": b"b"},
            6: {"stars": 0, "text": b""}}
    stars, texts = file.plan.indexes[1], file.plan.indexes[0]
    lowest = Segment([file.index_entries(texts, rows), file.put("Note", rows), file.index_entries(stars, rows)], highest_index=9)
    file.next_keys[4] = 7
    file.commit([lowest])
    # Only the lower number has entries. The row of 2 gives the column, and the row of 6 does not (4.5.6).
    changed = file.change("Note", {2: {"stars": 8}, 6: {"text": b"z"}}, bases=[1, 1])
    second = Segment([changed, file.index_entries(stars, {2: {"stars": 8}})], highest_index=2)
    file.commit([lowest, second])
    third = Segment([file.put("Note", {9: {"stars": 1, "text": b"c"}}, bases=[0]), file.remove("Note", [4], bases=[1])])
    file.next_keys[4] = 10
    file.commit([lowest, second, third])
    return file.bytes(), file.lines()


@feature("no-index-entries", "block file", "Indexes in the schema, and no segment with entries")
def no_index_entries():
    file = indexed_file("no index")
    file.write_model()
    segment = Segment([file.put("Note", notes(20))])
    file.next_keys[4] = 21
    file.commit([segment])
    return file.bytes(), file.lines()


WORDS = xml_model(entity(
    "Note", attribute("stars", "Integer 16"), attribute("text", "String"),
    '<fetchIndex name="byText"><fetchIndexElement property="text"/></fetchIndex>'
    '<fetchIndex name="byWords"><fetchIndexElement property="text" type="FullText"/></fetchIndex>'))
# Texts that are missing, empty, without words, with repeated words, with marks, of several scripts, and with words that are cut.
TEXTS = {
    1: None, 2: "", 3: "— … ’ _ \u0301 \u200D", 4: "A rose is a rose, and A ROSE", 5: "Cafe\u0301, café; CAFÉ — Straße",
    6: "I’m in 東京都 with Ω.\u0301 שלום צה\"ל नमस्ते ภาษาไทย 한국어", 7: "_snake_case_ 1,234.5 v1.2 don''t",
    8: "x" * 100 + " " + "y" * 63 + "'s " + "z" * 60 + "____z", 9: "Tシャツ ガ か\u3099 \u0958 \U00016D63\U00016D67", 300: "rose"}


@feature("word-index", "block file", "An index of words beside one of the same texts, with missing texts, texts without words, and several scripts")
def word_index():
    texts, words = Index(40, "Note", ["text"]), Index(7, "Note", ["text"], has_words=True)
    file = new_file(Plan(WORDS, {"Note": 3}, indexes=[texts, words], first=5, stride=3), "words")
    file.write_model()
    rows = {key: {"stars": key % 5, "text": None if text is None else text.encode()} for key, text in TEXTS.items()}
    lowest = Segment([file.index_entries(words, rows), file.put("Note", rows), file.index_entries(texts, rows)], highest_index=40)
    file.next_keys[3] = 301
    file.commit([lowest])
    # A text is changed, one is taken away and one is given. The row of 5 does not give the column, so its entries still count.
    changes = {1: {"text": b"First, second"}, 4: {"stars": 9, "text": b"Rose again"}, 6: {"text": None}}
    second = Segment([file.change("Note", {**changes, 5: {"stars": 5}}, bases=[1] * 4), file.index_entries(words, changes)], highest_index=7)
    file.commit([lowest, second])
    third = Segment([file.remove("Note", [7, 300], bases=[1, 1])], highest_index=40)
    file.commit([lowest, second, third])
    fourth = Segment([file.put("Note", {7: {"text": b"again, without entries"}}, bases=[0]), file.change("Note", {4: {"text": b""}}, bases=[2])])
    file.commit([lowest, second, third, fourth])
    rows = {2: {"text": b"a rose"}, 4: {"text": b"A tulip"}}
    fifth = Segment([file.index_entries(words, rows), file.change("Note", rows, bases=[1, 4])], highest_index=39)
    file.commit([lowest, second, third, fourth, fifth])
    return file.bytes(), file.lines()


# --- 3.4.9, 4.5.7 and 4.5.8: values outside, and codecs


@feature("values-outside", "block file", "Values outside of their block, plain and compressed, empty, and one section for two rows")
def values_outside():
    plan = Plan(xml_model(entity("Photo", attribute("image", "Binary", 'allowsExternalBinaryDataStorage="YES"'), attribute("name", "String"))),
                {"Photo": 1})
    file = new_file(plan, "outside")
    values = [bytes(range(256)) * 2, b"zlib" * 500, b"", b"inside", None, bytes(3000)]
    references = {}
    for key, is_compressed in ((1, False), (2, True), (3, False), (6, True)):
        references[key, "image"] = file.outside(values[key - 1], is_compressed)
    references[7, "image"] = references[1, "image"]
    file.write_model()
    rows = {key: {"image": value, "name": b"%d" % key} for key, value in enumerate([*values, values[0]], 1)}
    lowest = Segment([file.put("Photo", rows, outside=references)])
    file.next_keys[1] = 8
    file.commit([lowest])
    # A merge of rows keeps the sections (4.5.7).
    again = Segment([file.change("Photo", {2: {"image": values[1]}, 4: {"image": b"", "name": None}},
                                 outside={(2, "image"): references[2, "image"]}, bases=[1, 1])])
    file.commit([lowest, again])
    return file.bytes(), file.lines()


@feature("compressed", "block file", "A compressed file: transposed blocks in zlib's format, one of them stored without a gain, and one plain block")
def compressed():
    plan = Plan(xml_model(entity("Row", attribute("a", "Integer 32"), attribute("b", "Double"), attribute("c", "String"))), {"Row": 1})
    file = new_file(plan, "compressed", is_compressed=True)
    file.write_model()
    rows = {key: {"a": key * 70000, "b": 0x3FF0000000000000 + key * 12345678901, "c": b"word %d" % (key * 7)} for key in range(1, 61)}
    blocks = [
        file.put("Row", {key: rows[key] for key in range(1, 21)}, codec=1), file.put("Row", {key: rows[key] for key in range(21, 41)}),
        file.put("Row", {key: rows[key] for key in range(41, 61)}, codec=1)]
    file.next_keys[1] = 61
    lowest = Segment(blocks)
    file.commit([lowest])
    changes = {key: {"a": -key} if key % 2 else {"c": None} for key in range(1, 30)}
    file.commit([lowest, Segment([file.change("Row", changes, codec=1, bases=[1] * 29)])])
    return file.bytes(), file.lines()


@feature("compressed-block-in-plain-file", "block file", "A plain file with a compressed block")
def compressed_block():
    file = note_file("plain with compressed")
    file.write_model()
    file.next_keys[1] = 301
    file.commit([Segment([file.put("Note", notes(300), codec=1)])])
    return file.bytes(), file.lines()


# --- 4.2 and 4.3: durability


@feature("settled", "block file", "Commits that are settled, of a few bytes and of more than 262,144, and one of exactly so many bytes that is not")
def settled():
    plan = Plan(xml_model(entity("Photo", attribute("image", "Binary"))), {"Photo": 1})
    file = new_file(plan, "settled")
    file.write_model()
    file.next_keys[1] = 100
    segments = []
    for key, (count, is_settled) in enumerate(((3, True), (261424, False), (270000, True), (2, False), (1, True)), 1):
        segments = [*segments, Segment([file.put("Photo", {key: {"image": bytes([key]) * count}}, bases=[0])])]
        file.commit(segments, is_settled=is_settled)
    assert file.commits[1].trailer_offset - file.commits[1].start == UNSETTLED
    return file.bytes(), file.lines()


@feature("group", "block file", "Four commits that one sync made durable: a slot names the last, and the slot before names the first commit")
def group():
    file, segment = first_notes("group")
    file.name(1, file.commits[0])
    segments = [segment]
    for round_ in range(4):
        segments = change(file, segments, 1, stars=round_) if round_ == 0 else [
            *segments, Segment([file.change("Note", {1: {"stars": round_}}, bases=[round_ + 1])])]
        file.commit(segments)
    file.name(0, file.commits[-1])
    return file.bytes(), file.lines()


@feature("acknowledgements", "block file", "Commits that their trailers acknowledge; the slots name the first one only, as after a kill")
def acknowledgements():
    file, segment = first_notes("acknowledged")
    file.name(1, file.commits[0])
    segments = change(file, [segment], 1, stars=50)
    file.commit(segments, acknowledges=True)
    segments = change(file, segments, 2, stars=51)
    file.commit(segments)
    segments = change(file, segments, 3, stars=52)
    file.commit(segments, acknowledges=True)
    return file.bytes(), file.lines()


def with_tail(words, count=4096):
    """A file of which a commit lies in the tail: the slot tells the bytes of the whole file."""
    file, segment = first_notes(words)
    segments = change(file, [segment], 1, stars=50)
    file.commit(segments, acknowledges=True)
    file.name(0, file.commits[0], count)
    return file, segments, count


@feature("tail", "block file", "Zeros behind the last commit, up to the number of bytes that the slot tells")
def tail():
    file, _, count = with_tail("tail")
    return file.bytes().ljust(count, b"\0"), file.lines()


@feature("odd-tail", "block file", "A tail that is longer than the slot tells, and whose length is not a multiple of 8")
def odd_tail():
    file, _, count = with_tail("odd tail")
    return file.bytes().ljust(count + 4099, b"\0"), file.lines()


@feature("torn-save", "block file", "The remains of a save that a crash cut off, behind the last commit, and zeros behind them", ["BLCK-011"])
def torn_save():
    file, segments, count = with_tail("torn", 8192)
    before, lines = len(file.data), file.lines()
    torn = change(file, segments, 2, text=b"torn" * 40)
    file.commit(torn)
    data = bytearray(file.bytes())
    # A page of the save was lost: bytes of its block are zeros, and its trailer is there.
    data[before + 64:before + 160] = bytes(96)
    return bytes(data).ljust(count, b"\0"), lines


@feature("torn-group", "block file", "A save that lost its middle: the commit behind the lost one is whole, and does not count", ["BLCK-011"])
def torn_group():
    file, segments, count = with_tail("torn group")
    before, lines = len(file.data), file.lines()
    segments = change(file, segments, 2, stars=1)
    file.commit(segments)
    segments = change(file, segments, 3, stars=1)
    file.commit(segments)
    data = bytearray(file.bytes())
    data[before + 8] ^= 1
    return bytes(data).ljust(count, b"\0"), lines


@feature("save-behind-remains", "block file", "A save behind the remains of another: bytes between two commits belong to none", ["BLCK-022"])
def save_behind_remains():
    file, segment = first_notes("remains")
    segments = change(file, [segment], 1, stars=50)
    file.commit(segments)
    file.data += b"\x51\x45\x4e\x44" + bytes(range(100)) + bytes(8)
    file.start = len(file.data) + 7 & ~7
    file.data += bytes(file.start - len(file.data))
    segments = change(file, segments, 2, stars=51)
    file.commit(segments)
    return file.bytes(), file.lines()


@feature("damaged-slot", "block file", "A slot that was written in part, beside one that names the last commit", ["BLCK-005"])
def damaged_slot():
    file, segment = first_notes("damaged slot")
    file.commit(change(file, [segment], 1, stars=50))
    file.name(0, file.commits[-1])
    file.name(1, file.commits[0])
    file.slots[1] = file.slots[1][:8] + bytes(8)
    return file.bytes(), file.lines()


@feature("place", "block file", "A file with a place, which readers do not check")
def place():
    file, _ = first_notes("place", place=0xC0FFEE01)
    return file.bytes(), file.lines()


@feature("feature-ignore", "block file", "Two features of the class ignore, one with the longest name", ["BLCK-009"])
def feature_ignore():
    file, _ = first_notes("ignore", features=features((1, "thumbnails"), (1, "x" * 32)))
    return file.bytes(), file.lines()


@feature("feature-read", "block file", "A feature of the class read, in the largest area of features", ["BLCK-009"], may_change=False)
def feature_read():
    # 4016 bytes: 118 features of 34 bytes, and 4 of the checksum.
    many = [(1, f"feature-{number:03}-{'y' * 20}") for number in range(117)]
    area = features((2, "page-index-of-another-kind-0001"), *many)
    file, _ = first_notes("read", features=area)
    return file.bytes(), file.lines()
