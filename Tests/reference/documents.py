"""Changes documents: their manifests, files and folders, and the archives that they are packed in."""

import copy
import io
import json
import os
import re
import zipfile

import metadata_mutants
import resealing
import xml_mutants
from findings import crc32c

TYPE = b"application/vnd.quire.document+zip"
VALUES = [None, True, False, 0, 1, 2, -1, 3, 1 << 62, (1 << 62) + 1, 1 << 70, 1.5, "", "1", "main", "stores/main.store", "models/1.xml",
          "stores/Main.store", "../x", "stores/con.x", "XML2", [], {}, [1], {"a": "b"}, "a" * 256, "2026-02-30T00:00:00.000Z",
          "2026-11-22T01:13:59.250Z", "6fb9df54-a60e-4a15-8c3b-1d2e3f405162", "0" * 64, "é", "draft", ["draft"], [1],
          ["0" * 64], ["0" * 64] * 2]


class Source:
    """A document: its files by their paths."""

    def __init__(self, files):
        self.files, self.stores = files, {}
        for name, data in self.files.items():
            if name.startswith("stores/") and data[:8] == b"QRBLOCKS":
                try:
                    self.stores[name] = resealing.Source(data)
                except AssertionError:
                    pass

    def mutant(self, source):
        """Returns the files of a changed document; those with a value of None are folders."""
        files = dict(self.files)
        kind = source.randrange(10)
        name = source.choice(["manifest.json", *(name for name in files if name.startswith("heads/") and name.endswith(".json"))])
        if kind < 4:
            manifest = json.loads(files[name])
            for _ in range(source.choice([1, 1, 2])):
                change_json(source, manifest)
            text = json.dumps(manifest, indent=2, ensure_ascii=source.random() < 0.5).encode()
            files[name] = sealed(text) if source.random() < 0.95 else text
        elif kind == 4:
            files[name] = sealed(changed_text(source, files[name]))
        elif kind < 7:
            name = source.choice([name for name in files if name.startswith("stores/")])
            if name in self.stores:
                files[name] = self.stores[name].mutant(source)
            elif files[name].lstrip()[:1] == b"<":
                files[name] = xml_mutants.mutant(source, files[name])
            else:
                files[name] = files[name][:source.randrange(len(files[name]) + 1)]
        elif kind == 7:
            name = source.choice([name for name in files if name.startswith("models/")])
            files[name] = metadata_mutants.changed_model(source, files[name])
        else:
            change_files(source, files)
        return files


def read_folder(folder):
    files = {}
    for base, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(base, name)
            with open(path, "rb") as file:
                files[os.path.relpath(path, folder)] = file.read()
    return files


def sealed(text):
    """The text of a manifest with the checksum of its bytes (7.3.9), if its last member is one."""
    found = re.search(rb'"checksum": "([0-9a-f]{8})"\s*\}\s*$', text)
    if found is None:
        return text
    return text[:found.start(1)] + f"{crc32c(text[:found.start(1)]):08x}".encode() + text[found.end(1):]


def change_json(source, value):
    """Changes one member, or one element, somewhere in a value."""
    places = []

    def find(one):
        for key in list(one) if isinstance(one, dict) else range(len(one)):
            places.append((one, key))
            if isinstance(one[key], (dict, list)):
                find(one[key])
    find(value)
    owner, key = source.choice(places)
    kind = source.randrange(6)
    if kind == 0:
        del owner[key]
    elif kind == 1 and isinstance(owner, list):
        owner.insert(source.randrange(len(owner) + 1), copy.deepcopy(owner[key]))
    elif kind == 2 and isinstance(owner[key], int) and not isinstance(owner[key], bool):
        owner[key] += source.choice([1, -1, 2, 100])
    elif kind == 3 and isinstance(owner[key], str) and owner[key]:
        place = source.randrange(len(owner[key]))
        owner[key] = owner[key][:place] + source.choice(["", "0", "A", "é", "/", "."]) + owner[key][place + 1:]
    elif kind == 4:
        other, other_key = source.choice(places)
        owner[key] = copy.deepcopy(other[other_key])
    else:
        owner[key] = copy.deepcopy(source.choice(VALUES))


def changed_text(source, data):
    place = source.randrange(len(data))
    return data[:place] + source.choice([b"", b",", b"}", b'"', b" ", b"\xff", b"0", b"\\u0041", b"null"]) + data[place + source.randrange(3):]


def change_files(source, files):
    name = source.choice(sorted(files))
    kind = source.randrange(6)
    if kind == 0:
        del files[name]
    elif kind == 1:
        files[name] = None
    elif kind == 2:
        data = bytearray(files[name] or b"x")
        data[source.randrange(len(data))] ^= 1 << source.randrange(8)
        files[name] = bytes(data)
    elif kind == 3:
        files[name] = files[name][:-1]
    elif kind == 4:
        files[name + source.choice(["2", ".x", "-3"])] = files.pop(name)
    else:
        files[source.choice([
            ".lock", ".sharing", ".DS_Store", "notes.txt", "stores/main-9.store", "stores/other.store", "models/9.xml", "attachments/.x",
            "attachments/" + "0" * 64, "recovery.json", "stores/main-9.store/x", "heads/draft.json", "heads/draft.recovery.json",
            "heads/x"])] = source.choice(
                [b"", b"{}", files.get("manifest.json") or b""])


def write_folder(files, path):
    os.makedirs(path)
    for name, data in sorted(files.items(), key=lambda one: one[0]):
        whole = os.path.join(path, name)
        if data is None:
            os.makedirs(whole, exist_ok=True)
            continue
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "wb") as file:
            file.write(data)


def packed(source, files):
    """Returns an archive of the files."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(zipfile.ZipInfo("mimetype"), TYPE)
        for name, data in sorted(files.items()):
            info = zipfile.ZipInfo(name if data is not None else name + "/")
            info.compress_type = source.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]) if data else zipfile.ZIP_STORED
            archive.writestr(info, data or b"")
    return target.getvalue()


def changed_archive(source, data):
    """Changes bytes behind the first entry: mostly those of headers, of the directory and of the end record."""
    data = bytearray(data)
    places = [place for place in range(80, len(data) - 4) if data[place:place + 2] == b"PK"]
    for _ in range(source.choice([1, 1, 2])):
        start = source.choice(places) if source.random() < 0.8 else source.randrange(80, len(data) - 46)
        place = min(start + source.randrange(46), len(data) - 1)
        data[place] = source.choice([0, 1, 8, 255, data[place] ^ 1, source.randrange(256)])
    return bytes(data)
