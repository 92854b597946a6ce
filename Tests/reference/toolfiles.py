"""Files that the tool makes: copies of the contents of another file, and files of a series of commands."""

import base64
import json
import os
import shutil
import signal
import subprocess

import objects
from model import Attribute, Model
from objects import Contents

RECIPES = {}


class Recipe:
    """A file of the tool: its name, the sentence on the page, and the function that makes it and returns its path and its contents.

    `knows_numbers` is whether the objects must have exactly the numbers of the contents.
    """

    def __init__(self, name, sentence, knows_numbers, make):
        self.name, self.sentence, self.knows_numbers, self.make = name, sentence, knows_numbers, make


def recipe(name, sentence, knows_numbers=True):
    def register(make):
        RECIPES[name] = Recipe(name, sentence, knows_numbers, make)
        return make
    return register


# --- Copies


def copies_of(feature, object_count):
    """The copies that are made of a gold file: all forms, but of a large file the block files only, because Python is slow."""
    if feature.kind == "document":
        return ["save-as.quire", "packed.zip"] if feature.may_change else ["packed.zip"]
    if feature.kind == "packed document":
        return ["unpacked.quire"]
    return ["binary.store", "compressed.store", *(["xml.xml", "document.quire", "document.zip"] if object_count < 10000 else [])]


def write_copy(tool, name, source, path):
    kind = name.partition(".")[0]
    if kind in ("binary", "compressed", "xml"):
        tool.run("convert", source, path, "--store", kind)
    elif kind in ("save-as", "document") and name.endswith(".quire"):
        tool.run("save-as", source, path)
    elif kind == "document":
        folder = path.removesuffix(".zip") + "-packed.quire"
        tool.run("save-as", source, folder, "--store", "compressed")
        tool.run("pack", folder, path)
    else:
        tool.run("pack" if kind == "packed" else "unpack", source, path)


def free_attribute(model):
    """An entity that is not abstract, and an attribute that an object of it may lack; None where there is none."""
    for entity in model.entities.values():
        if entity.is_abstract:
            continue
        for name, member in model.properties(entity).items():
            if isinstance(member, Attribute) and member.is_optional and member.type != "Composite":
                return entity.name, name
    return None


# --- Series of commands

MODEL = """<?xml version="1.0" encoding="UTF-8"?>
<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
<entity name="Note"><attribute name="stars" optional="YES" attributeType="Integer 64"/>
<attribute name="text" optional="YES" attributeType="String"/><attribute name="image" optional="YES" attributeType="Binary"
 allowsExternalBinaryDataStorage="YES"/><relationship name="tags" optional="YES" toMany="YES" ordered="YES" destinationEntity="Tag"
 inverseName="notes" inverseEntity="Tag"/><fetchIndex name="byStars"><fetchIndexElement property="stars"/></fetchIndex></entity>
<entity name="Tag"><attribute name="name" optional="YES" attributeType="String"/><relationship name="notes" optional="YES" toMany="YES"
 destinationEntity="Note" inverseName="tags" inverseEntity="Note"/></entity>
<configuration name="Notes"><memberEntity name="Note"/><memberEntity name="Tag"/></configuration>
<configuration name="Tags"><memberEntity name="Tag"/></configuration>
</model>
"""


class Notes:
    """The objects that a series of commands must leave, and the commands."""

    def __init__(self, tool, path):
        self.tool, self.path, self.rows = tool, path, {}

    def insert(self, stars, text, *options):
        identifier = self.tool.run("insert", self.path, "Note", f"stars={stars}", f"text={text}", *options).strip()
        self.rows[identifier] = {"stars": str(stars), "text": text.encode().hex()}
        return identifier

    def set(self, identifier, stars, *options):
        self.tool.run("set", self.path, "Note", f"stars={stars}", "--id", identifier, *options)
        self.rows[identifier]["stars"] = str(stars)

    def delete(self, identifier, *options):
        self.tool.run("delete", self.path, "Note", "--id", identifier, *options)
        del self.rows[identifier]

    def contents(self, name="", attachments=()):
        found = [("Note", int(identifier.partition("/p")[2]), row, {}) for identifier, row in self.rows.items()]
        return Contents({name: sorted(found, key=lambda one: one[:2])}, (), attachments)


def model_file(folder):
    path = os.path.join(folder, "Notes.xcdatamodel")
    os.makedirs(path)
    with open(os.path.join(path, "contents"), "w", encoding="utf-8") as file:
        file.write(MODEL)
    return path


def new_store(tool, folder, kind="binary"):
    """A single store without objects."""
    start = os.path.join(folder, "start.quire")
    tool.run("new", start, "--model", model_file(folder))
    path = os.path.join(folder, "notes.xml" if kind == "xml" else "notes.store")
    tool.run("convert", os.path.join(start, "stores/main.store"), path, "--store", kind)
    return path


def series(tool, path):
    notes = Notes(tool, path)
    first = notes.insert(1, "first")
    identifiers = [notes.insert(number, f"note {number} é") for number in range(2, 12)]
    notes.set(first, -1)
    for identifier in identifiers[::3]:
        notes.set(identifier, 1 << 40)
    notes.delete(identifiers[1])
    return notes


def imported(count, image_size=0):
    """Rows for `quire import`, and the contents that they give."""
    rows, found = [], []
    for number in range(1, count + 1):
        image = bytes([number % 251]) * (image_size if number % 7 == 0 else 0)
        rows.append({"@entity": "Note", "@id": f"1/p{number}", "stars": number * 7919 % 1000, "text": f"note {number}",
                     **({"image": base64.b64encode(image).decode()} if image else {}), "tags": [f"2/p{number % 3 + 1}", "2/p4"]})
        values = {**({"image": image.hex()} if image else {}), "stars": str(number * 7919 % 1000), "text": f"note {number}".encode().hex()}
        found.append(("Note", number, values, {"tags": [("Tag", number % 3 + 1), ("Tag", 4)]}))
    for number in range(1, 5):
        rows.append({"@entity": "Tag", "@id": f"2/p{number}", "name": f"tag {number}"})
        notes = [one for one in range(1, count + 1) if number == 4 or one % 3 + 1 == number]
        found.append(("Tag", number, {"name": f"tag {number}".encode().hex()}, {"notes": [("Note", one) for one in notes]}))
    return "".join(json.dumps(row) + "\n" for row in rows), Contents({"": objects.in_one_form(found, Model(MODEL.encode()))})


def import_rows(tool, path, count, image_size=0):
    text, wanted = imported(count, image_size)
    tool.run("import", path, "-", "--format", "jsonl", text=text)
    return wanted


@recipe("saves", "A save for each of 17 commands: objects inserted, changed and deleted")
def saves(tool, folder):
    notes = series(tool, new_store(tool, folder))
    return notes.path, notes.contents()


@recipe("saves-compressed", "The same saves in a compressed store")
def saves_compressed(tool, folder):
    notes = series(tool, new_store(tool, folder, "compressed"))
    return notes.path, notes.contents()


@recipe("saves-xml", "The same saves in an XML store")
def saves_xml(tool, folder):
    notes = series(tool, new_store(tool, folder, "xml"))
    return notes.path, notes.contents()


@recipe("kept-history", "The same saves, and a vacuum that keeps five of them")
def kept_history(tool, folder):
    notes = series(tool, new_store(tool, folder))
    tool.run("vacuum", notes.path, "--keep", "5")
    notes.insert(5, "after")
    return notes.path, notes.contents()


@recipe("killed", "A process that saved 20 times and was killed: the tail and the acknowledgements are as it left them")
def killed(tool, folder):
    path = new_store(tool, folder)
    found = []
    with subprocess.Popen([tool.path, "open", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          encoding="utf-8") as process:
        for number in range(1, 21):
            process.stdin.write(f"insert Note stars={number} text=killed\nsave\ncount Note\n")
            process.stdin.flush()
            for line in process.stdout:
                # The count comes after the save.
                if line.strip() == str(number):
                    break
            found.append(("Note", number, {"stars": str(number), "text": b"killed".hex()}, {}))
        process.send_signal(signal.SIGKILL)
    return path, Contents({"": found})


@recipe("import", "An import of 5,000 objects, with links and entries of indexes")
def imports(tool, folder):
    path = new_store(tool, folder)
    return path, import_rows(tool, path, 5000)


@recipe("import-compressed", "The same import into a compressed store")
def imports_compressed(tool, folder):
    path = new_store(tool, folder, "compressed")
    return path, import_rows(tool, path, 5000)


@recipe("import-xml", "An import of 500 objects into an XML store", knows_numbers=False)
def imports_xml(tool, folder):
    path = new_store(tool, folder, "xml")
    return path, import_rows(tool, path, 500)


@recipe("large-values", "An import of values of 100,000 bytes, which lie outside of their blocks")
def large_values(tool, folder):
    path = new_store(tool, folder)
    return path, import_rows(tool, path, 40, 100_000)


@recipe("large-values-compressed", "The same values in a compressed store")
def large_values_compressed(tool, folder):
    path = new_store(tool, folder, "compressed")
    return path, import_rows(tool, path, 40, 100_000)


@recipe("copied", "A copy of the same saves by another program, with one more save: the number of its object is of a lane")
def copied(tool, folder):
    notes = series(tool, new_store(tool, folder))
    notes.path = shutil.copy(notes.path, os.path.join(folder, "copy.store"))
    notes.insert(1, "in the copy")
    return notes.path, notes.contents()


@recipe("copied-xml", "The same in an XML store")
def copied_xml(tool, folder):
    notes = series(tool, new_store(tool, folder, "xml"))
    notes.path = shutil.copy(notes.path, os.path.join(folder, "copy.xml"))
    notes.insert(1, "in the copy")
    return notes.path, notes.contents()


@recipe("merged", "Two copies of a document by another program that were changed apart and merged: each object keeps its number")
def merged(tool, folder):
    base, one, other, path = (os.path.join(folder, name + ".quire") for name in ("base", "one", "other", "merged"))
    tool.run("new", base, "--model", model_file(folder))
    notes = series(tool, base)
    first = next(iter(notes.rows))
    for copy in (one, other):
        shutil.copytree(base, copy)
        notes.path = copy
        for number in range(3):
            notes.insert(number, f"inserted in {os.path.basename(copy)}")
    notes.set(first, 77)
    tool.run("merge", base, one, other, "--output", path)
    return path, notes.contents("main")


@recipe("document", "The saves in a document, with authors and messages, most of them in the log")
def tool_document(tool, folder):
    path = os.path.join(folder, "notes.quire")
    tool.run("new", path, "--model", model_file(folder), "--title", "Notes")
    notes = series(tool, path)
    notes.insert(3, "by Ada", "--author", "Ada", "--message", "In the log\nof versions")
    return path, notes.contents("main")


@recipe("versions", "A document with named versions, undo, a revert and attachments that were replaced")
def tool_versions(tool, folder):
    path = os.path.join(folder, "notes.quire")
    tool.run("new", path, "--model", model_file(folder))
    notes = series(tool, path)
    kept = dict(notes.rows)
    tool.run("history", path, "--name", "3=Three")
    notes.insert(8, "taken back")
    tool.run("undo", path)
    notes.rows = kept
    version = json.loads(tool.run("history", path, "--format", "json"))[0]["number"]
    tool.run("delete", path, "Note", "--where", "TRUEPREDICATE")
    tool.run("revert", path, "--to", str(version))
    for text in ("one", "two and more"):
        with open(os.path.join(folder, "a.txt"), "w", encoding="utf-8") as file:
            file.write(text)
        tool.run("attach", "add", path, os.path.join(folder, "a.txt"), "--force")
    notes.insert(9, "after")
    return path, notes.contents("main", [("a.txt", 12)])


@recipe("packed-document", "A packed document with a compressed store")
def tool_packed(tool, folder):
    path = os.path.join(folder, "notes.quire")
    tool.run("new", path, "--model", model_file(folder), "--store", "compressed")
    notes = series(tool, path)
    tool.run("pack", path, path + ".zip")
    return path + ".zip", notes.contents("main")


@recipe("document-xml", "A document with an XML store, which has a file for each version")
def tool_document_xml(tool, folder):
    path = os.path.join(folder, "notes.quire")
    tool.run("new", path, "--model", model_file(folder), "--store", "xml")
    notes = series(tool, path)
    return path, notes.contents("main")


@recipe("migrated", "A store whose model got one more attribute, and another name of an attribute")
def migrated(tool, folder):
    path = new_store(tool, folder)
    notes = series(tool, path)
    new = os.path.join(folder, "New.xcdatamodel")
    os.makedirs(new)
    with open(os.path.join(new, "contents"), "w", encoding="utf-8") as file:
        file.write(MODEL.replace('name="text" optional="YES"', 'name="body" elementID="text" optional="YES"').replace(
            '<attribute name="stars"', '<attribute name="added" optional="YES" attributeType="Integer 16" defaultValueString="4"/>'
            '<attribute name="stars"'))
    tool.run("migrate", path, "--model", new)
    for row in notes.rows.values():
        row["added"], row["body"] = "4", row.pop("text")
    return path, notes.contents()
