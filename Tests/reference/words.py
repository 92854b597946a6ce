"""Compares the words (15) that the reader in spec/reference and the tool find, in the entries of an index of words (4.5.6) and in searches.

First the gold file of such an index is damaged in several ways, and both must report the rule. Then the tool imports notes of random
words of many scripts, and changes and removes some. The reader must find the file valid, with entries of the index in it. A search of
the tool for a word must find the notes that have this word as the reader sees it.

    python3 Tests/reference/words.py [--tool PATH] [--notes N] [--seed N]
"""

import argparse
import collections
import json
import os
import random
import sys
import tempfile
import unittest.mock

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "spec/reference"))
import blockfile  # noqa: E402
import filewriter  # noqa: E402
import goldfiles  # noqa: E402
import judge  # noqa: E402
from words import CLASS_OF, words  # noqa: E402

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import objects  # noqa: E402

MODEL = """
entity Note
  body: String?
  stars: Int64 = 0
  index byWords: body as words
"""
SEARCHES = 60
# Texts of several scripts. Their words come beside random words.
SAMPLES = (
    "The quick-brown fox isn’t lazy; O'Neill's fox_trot costs 1,234.50 or 3.14, at 10:30. U.S.A. e.g. l·l Straße İzmir ISTANBUL ırmak ﬁne Ǆ ẞ",
    "Żółć, naïve Cafe\u0301 ÉTÉ Ελλάδα ΟΔΟΣ ᾠδή Москва Ёлка ЙОГ й Է՞ և Հայաստան ქართული ᲡᲐᲥ ᏣᎳᎩ ꮳꮃꭹ ⓐⓑ Ⅷ ①",
    "שלום צה\"ל ש״ס בְּרֵאשִׁית مرحبا العَرَبِيَّة ۱۲۳٫۴ नमस्ते हिन्दी क़लम বাংলা কোথা தமிழ் கொடு తెలుగు ಕನ್ನಡ മലയാളം සිංහල",
    "東京都へ行く。ガギグ ｶﾞｷﾞ か\u3099 ひらがな ー 々〆〇 中华人民共和国 한국어 각 \u1100\u1161\u11a8 ภาษาไทย ລາວ ខ្មែរ မြန်မာ བོད་ཡིག ᠮᠣᠩᠭᠣᠯ",
    "family 👨‍👩‍👧 👍🏽 2️⃣ soft\u00adhyphen zero\u200bwidth no\u2060break a\u0338b = x² H₂O Ａｂｃ１２ ℵ ℝ 𝐁𝐨𝐥𝐝 𞤀𞤣 𐐀𐐨 \U00010d50\U00010d70 \U00016d63\U00016d67")
SEPARATORS = (" ", " ", " ", "\n", ", ", ". ", "-", "_", "'", "’", ".", ",", "·", '"', "/", "…", "")


# --- Damages of the gold file


def replaced(entries, place, entry):
    return [*entries[:place], entry, *entries[place + 1:]]


DAMAGES = (
    ("a missing word", "INDX-005", lambda entries: entries[1:]),
    ("a word twice", "INDX-005", lambda entries: [entries[0], *entries]),
    ("a word twice, in place of another one of the object", "INDX-004",
     lambda entries: sorted(replaced(entries, *next(
         (place, other) for place, one in enumerate(entries) for other in entries if other[1] == one[1] and other != one)))),
    ("two words in the wrong order", "INDX-004", lambda entries: [entries[1], entries[0], *entries[2:]]),
    ("a word of another object", "INDX-005", lambda entries: sorted([*entries, (entries[0][0], 300)])),
    ("a word that no text has", "INDX-006", lambda entries: replaced(entries, 0, (b"0", entries[0][1]))),
    ("a word that is not folded", "INDX-006", lambda entries: sorted((b"ROSE", key) if word == b"rose" else (word, key) for word, key in entries)),
    ("the whole text in place of a word", "INDX-006", lambda entries: sorted(replaced(
        entries, len(entries) - 1, (goldfiles.TEXTS[entries[-1][1]].encode(), entries[-1][1])))),
    ("an entry of a text without words", "INDX-005", lambda entries: [(b"", 2), *entries]),
)


def damaged(change):
    """The gold file with another list of entries in its first segment."""
    append, is_first = filewriter.BlockFile.append_entries, [True]

    def append_changed(file, index, entries, plans=None):
        if index.has_words and is_first.pop():
            entries = change(entries)
        is_first.append(False)
        return append(file, index, entries, plans)
    with unittest.mock.patch.object(filewriter.BlockFile, "append_entries", append_changed):
        return goldfiles.word_index()[0]


def compare_damages(tool, folder):
    path = os.path.join(folder, "damaged.store")
    for title, rule, change in DAMAGES:
        data = damaged(change)
        with open(path, "wb") as file:
            file.write(data)
        for program, found in (("reader", judge.data(data).rules), ("tool", tool.judge(path)[1])):
            if found != {rule}:
                yield f"{title}: the {program} reports {sorted(found)} and not {rule}"


# --- Notes of the tool


def random_text(chance, kinds, samples):
    """A text of random scalars of each class and of words of many scripts; None for one note in 20."""
    if chance.random() < 0.05:
        return None
    parts = []
    for _ in range(chance.choice([0, 3, 10, 20])):
        if chance.random() < 0.5:
            parts.append(chance.choice(samples))
        else:
            # Marks are frequent, so that foldings have some to remove, to keep and to sort.
            parts += [chance.choice(kinds[chance.choice("LLLNXMMPIHCADSQO")]) for _ in range(chance.choice([1, 2, 3, 5, 20, 90]))]
        parts.append(chance.choice(SEPARATORS))
    return "".join(parts)


def texts_of(path):
    """The text of each note as the reader finds it."""
    found = {}
    for line in judge.lines(path):
        entity, key, *values = line.split(" ")
        if entity != "Note":
            continue
        text = next((value.removeprefix("body=") for value in values if value.startswith("body=")), None)
        found[f"1/p{key}"] = None if text is None else bytes.fromhex(text)
    return found


def entry_count(path):
    """The number of entries of the index of words in the newest commit of a store; None if its schema has no such index."""
    with open(path, "rb") as file:
        judged = blockfile.File(file.read()).judge()
    if judged.schema is None or not judged.schema.word_indexes:
        return None
    return sum(entry.rows for segment in judged.segments(judged.commits[0][1]) for entry in segment.entries
               if entry.entity in judged.schema.word_indexes)


def searches(chance, texts):
    """Yields words to search for, and the notes that the reader finds."""
    notes = collections.defaultdict(set)
    for identifier, text in texts.items():
        for word in words(text or b""):
            notes[word].add(identifier)
    for word in chance.sample(sorted(notes), min(SEARCHES, len(notes))):
        # A run of one character is a prefix, and a word that is cut may have more words on its own (15.4.2).
        is_pair = all(CLASS_OF.get(one) in ("X", "M", "P") for one in word.decode())
        if not is_pair and list(words(word)) == [word]:
            yield word.decode(), notes[word]


def require_valid(tool, path):
    report = judge.path(path)
    if report.findings:
        raise objects.Failure(f"{path}: the reader reports {report.findings[:3]}")
    verdict, rules = tool.judge(path)
    if verdict != "valid" or rules:
        raise objects.Failure(f"{path}: the tool reports {sorted(rules)}")


def compare_notes(tool, chance, count, folder):
    """Raises `Failure` where the reader and the tool differ, and returns a sentence about the comparison."""
    kinds = collections.defaultdict(list)
    for scalar in map(chr, [*range(0x20, 0xD800), *range(0xE000, 0x20000), *range(0xE0100, 0xE01F0)]):
        kinds[CLASS_OF.get(scalar, "O")].append(scalar)
    samples = [word for text in SAMPLES for word in text.split(" ")]
    model, path = os.path.join(folder, "Notes.model"), os.path.join(folder, "notes.quire")
    with open(model, "w", encoding="utf-8") as file:
        file.write(MODEL)
    tool.run("new", path, "--model", model)

    def rows(first, last):
        return "".join(json.dumps({"@entity": "Note", "@id": f"1/p{number}", "body": random_text(chance, kinds, samples)}) + "\n"
                       for number in range(first, last + 1))
    store = os.path.join(path, "stores/main.store")
    tool.run("import", path, "-", "--format", "jsonl", text=rows(1, count))
    first_entries = entry_count(store)
    if not first_entries:
        raise objects.Failure("the tool's schema has no index of words" if first_entries is None else "the tool wrote no entries of words")
    require_valid(tool, path)
    # New texts for most notes, new values for some, and a few notes are removed.
    tool.run("import", path, "-", "--format", "jsonl", "--same-store", text=rows(1, max(1, count * 4 // 5)))
    tool.run("set", path, "Note", "stars=1", "--where", "body != NULL")
    tool.run("delete", path, "Note", "--where", "body == NULL")
    require_valid(tool, path)
    texts, compared = texts_of(path), compare_searches(tool, chance, path)
    return (f"{len(texts)} notes of the tool, {first_entries} entries at first and {entry_count(store)} at last, "
            f"{compared} searches")


def compare_searches(tool, chance, path):
    count = 0
    for word, wanted in searches(chance, texts_of(path)):
        quoted = word.replace("\\", "\\\\").replace("'", "\\'")
        found = {one["@id"] for one in json.loads(tool.run("fetch", path, "Note", "--where", f"body TEXT '{quoted}'", "--format", "json"))}
        if found != wanted:
            raise objects.Failure(f"{path}: the word {word!r}: the tool alone finds {sorted(found - wanted)[:5]}, "
                                  f"the reader alone {sorted(wanted - found)[:5]}")
        count += 1
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tool", default=os.path.join(ROOT, ".build/debug/quire"))
    parser.add_argument("--notes", type=int, default=1500, help="the number of notes; the tool writes entries from 1024 on")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    options = parser.parse_args()
    tool = objects.Tool(options.tool)
    with tempfile.TemporaryDirectory() as folder:
        found = list(compare_damages(tool, folder))
        if found:
            sys.exit("\n".join(f"words: {sentence}" for sentence in found))
        try:
            sentence = compare_notes(tool, random.Random(options.seed), options.notes, folder)
        except objects.Failure as failure:
            sys.exit(f"words: seed {options.seed}: {failure}")
    print(f"words: {len(DAMAGES)} damaged indexes; {sentence}, read alike")


if __name__ == "__main__":
    main()
