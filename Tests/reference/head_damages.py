"""Damages the gold documents with several heads (7.7), a little each, and looks which rules the reader in spec/reference reports.

    python3 Tests/reference/head_damages.py
"""

import json
import os
import sys
import tempfile

import documents

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "spec/reference"))
import documentwriter  # noqa: E402
import gold  # noqa: E402
import golddocuments  # noqa: E402
import judge  # noqa: E402

MAIN, DRAFT, STORE = "manifest.json", "heads/draft.json", "stores/main.draft-3.store"
DAMAGES = []


def damage(title, *rules, of="heads"):
    """Registers a function that changes the files of a gold document, and the rules that this breaks."""
    def register(change):
        DAMAGES.append((title, of, set(rules), change))
        return change
    return register


def edit(files, name, change):
    """Changes the members of a manifest, and writes them with the right checksum."""
    members = json.loads(files[name])
    change(members)
    members["checksum"] = members.pop("checksum")
    files[name] = documents.sealed(json.dumps(members).encode())


def member(title, rule, name, path, value):
    """Registers a damage that puts another value into a manifest."""
    def change(members):
        *owners, last = path
        for owner in owners:
            members = members[owner]
        members[last] = value
    damage(f"{name}: {title}", rule)(lambda files: edit(files, name, change))


# --- 7.7.2

for label, heads in (("a dot", ["draft", "a.b"]), ("the name main in other letters", ["draft", "Main"]), ("a number", ["draft", "12"]),
                     ("a device", ["draft", "AUX"]), ("no characters", ["draft", ""]), ("65 characters", ["draft", "x" * 65]),
                     ("two names that differ in case", ["draft", "DRAFT"]), ("a letter beyond ASCII", ["draft", "é"])):
    member(f"a head's name with {label}", "MANI-028", MAIN, ["heads"], heads)
member("heads that are not a list", "MANI-005", MAIN, ["heads"], "draft")
member("a head that is null", "MANI-005", MAIN, ["heads"], ["draft", None])
member("a head that does not exist", "CONT-024", MAIN, ["heads"], ["draft", "x" * 64])
member("a head of its own", "MANI-028", MAIN, ["head"], "main")
member("heads in the manifest of a head", "MANI-028", DRAFT, ["heads"], [])
member("the name of another head", "CONT-024", DRAFT, ["head"], "Draft")
member("no name of a head", "CONT-024", DRAFT, ["head"], None)
member("another document", "CONT-024", DRAFT, ["uuid"], "0F6E1A52-8C3B-4A15-A60E-1D2E3F405163")
member("another format", "CONT-024", DRAFT, ["format"], "quire-heads")
member("a newer version of the format", "MANI-003", DRAFT, ["formatVersion"], 2)
damage("a head's manifest that is gone", "CONT-024")(lambda files: files.pop(DRAFT))
damage("a head's manifest that is a folder", "CONT-002")(lambda files: files.update({DRAFT: None}))
damage("a head's manifest that is not JSON", "CONT-024")(lambda files: files.update({DRAFT: files[DRAFT][:-2]}))
damage("a head's manifest that is a list", "CONT-024")(lambda files: files.update({DRAFT: b"[]"}))
damage("another checksum", "MANI-024")(lambda files: files.update({DRAFT: files[DRAFT].replace(b'"Bob"', b'"Rob"')}))


# --- 7.3.7 and 7.7.3

for label, rule, merged in (("of itself", "MANI-018", [5]), ("of one version twice", "MANI-018", [2, 2]), ("of a later version", "MANI-018", [6]),
                            ("of version 0", "MANI-006", [0]), ("of a text", "MANI-005", ["2"]), ("that is not a list", "MANI-005", 2)):
    member(f"a merge {label}", rule, DRAFT, ["versions", 2, "merged"], merged)
member("another date of a version", "CONT-025", DRAFT, ["versions", 0, "saved"], golddocuments.LATER)
member("another author of a version", "CONT-025", DRAFT, ["versions", 0, "author"], None)
member("another message of a version", "CONT-025", DRAFT, ["versions", 0, "message"], "")


@damage("another model of a version", "CONT-025")
def another_model(files):
    def change(members):
        members["model"] = members["models"][0]["name"] = "first"
        for one in members["versions"]:
            one["model"] = "first"
    edit(files, DRAFT, change)


@damage("another message of a version in the log", "CONT-025", of="heads-log")
def another_logged_message(files):
    later = {"number": 6, "saved": golddocuments.LATER, "model": "1"}
    edit(files, MAIN, lambda members: members["versions"].append(later))


# --- 7.7.4

def name_file(files, name, **more):
    edit(files, DRAFT, lambda members: members["stores"][0].update({"file": name, **more}))


@damage("one file of a store in two heads", "CONT-026")
def one_file(files):
    del files[STORE]
    name_file(files, "stores/main.store")


@damage("two files of stores that differ in case", "CONT-026")
def another_case(files):
    files["stores/MAIN.store"] = files.pop(STORE)
    name_file(files, "stores/MAIN.store")


@damage("a file that is an earlier file in another head", "CONT-026")
def earlier_file(files):
    name_file(files, STORE, earlier=[{"file": "stores/main.store", "commit": 1, "until": 3, "model": "1"}])


# --- The files of heads

member("another size of an attachment", "CONT-006", DRAFT, ["attachments", 0, "byteCount"], 5)
member("a commit that the store of a head does not contain", "CONT-012", DRAFT, ["stores", 0, "commit"], 4)
damage("a head's store that is gone", "CONT-003")(lambda files: files.pop(STORE))
damage("a manifest of no head", "CONT-016")(lambda files: files.update({"heads/other.json": files[DRAFT]}))
damage("a recovery of no head", "CONT-016")(lambda files: files.update({"heads/other.recovery.json": files[DRAFT]}))
damage("another file beside the heads", "CONT-017")(lambda files: files.update({"heads/draft.txt": b""}))
damage("the remains of a removed head", "CONT-016")(lambda files: edit(files, MAIN, lambda members: members.pop("heads")))
damage("another current head")(lambda files: files.update({"heads/current": b"draft\n"}))
damage("no current head")(lambda files: files.pop("heads/current"))
for label, text in (("of no head", b"drafts\n"), ("in other letters", b"Draft\n"), ("without a line feed", b"draft"), ("with two", b"draft\n\n"),
                    ("without a name", b""), ("that is not text", b"\xff\n"), ("with a long name", b"x" * 70 + b"\n")):
    damage(f"a current head {label}", "CONT-027")(lambda files, text=text: files.update({"heads/current": text}))
damage("a recovery of a head", "CONT-019")(lambda files: files.update({"heads/draft.recovery.json": files[DRAFT]}))
damage("a recovery of another head", "CONT-018")(lambda files: files.update({"heads/draft.recovery.json": files[MAIN]}))
damage("a recovery that is not a manifest", "CONT-018")(lambda files: files.update({"heads/draft.recovery.json": b"{}"}))


def share_earlier_file(files, commit):
    """Makes another document, in which two heads have one earlier file, whose commits are 1 and 3, up to 3 and up to another commit."""
    old, of_main, of_draft = (golddocuments.note_store("shared", numbers)[0] for numbers in ((1, 3), (5,), (4,)))
    files.clear()
    files.update({"stores/old.store": old.bytes(), "stores/main.store": of_main.bytes(), "stores/draft.store": of_draft.bytes(),
                  "models/1.xml": gold.NOTES.encode()})
    for name, file, last, until, more in ((MAIN, of_main, 3, 5, {"heads": ["draft"]}), (DRAFT, of_draft, commit, 4, {"head": "draft"})):
        earlier = [{"file": "stores/old.store", "commit": last, "until": until, "model": "1"}]
        store = golddocuments.store_entry(file, until, path=f"stores/{'draft' if name == DRAFT else 'main'}.store", earlier=earlier)
        files[name] = documentwriter.manifest(golddocuments.members([store], [1, until], **more))


damage("an earlier file that counts up to an earlier commit in another head")(lambda files: share_earlier_file(files, 1))
damage("an earlier file without the commit that counts in another head", "CONT-012")(lambda files: share_earlier_file(files, 2))


@damage("a version that the store of a head does not contain", "CONT-014")
def version_without_file(files):
    share_earlier_file(files, 1)
    edit(files, DRAFT, lambda members: members["stores"][0].pop("earlier"))


def compare_damages():
    """Yields for each damage a sentence where the reader reports other rules, or None."""
    known = {name: gold.all_features()[name] for name in ("heads", "heads-log")}
    for title, of, rules, change in DAMAGES:
        files, _ = known[of].make()
        change(files)
        with tempfile.TemporaryDirectory() as folder:
            documents.write_folder(files, os.path.join(folder, "x.quire"))
            found = judge.path(os.path.join(folder, "x.quire")).rules - known[of].findings
        yield None if found == rules else f"'{title}': the reader reports {sorted(found)} and not {sorted(rules)}"


def main():
    checked = list(compare_damages())
    found = [sentence for sentence in checked if sentence]
    for sentence in found:
        print(sentence)
    print(f"{len(checked)} damages, {len(found)} differences")
    sys.exit(1 if found or not checked else 0)


if __name__ == "__main__":
    main()
