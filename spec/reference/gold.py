"""Gold files: a file for each feature of the formats, with odd but legal choices, and the objects that a reader must find in it.

A feature is a function under its name in `FEATURES`, which returns the content: bytes, or for a document the bytes of each file by its path.
Beside it comes the list of lines that `read` prints.
"""

import hashlib
import importlib
import os

from filewriter import BlockFile

FEATURES = {}
MODULES = ("goldencodings", "goldfiles", "goldgraphs", "golddocuments", "goldheads")
EXTENSIONS = {"block file": ".store", "XML store": ".xml", "document": ".quire", "packed document": ".zip"}


class Feature:
    """A feature, what its file shows, and the function that makes the file.

    `findings` are the rules that a validator reports on the file. `may_change` is whether a program that does not know the feature may write.
    """

    def __init__(self, name, kind, sentence, findings, may_change, make):
        self.name, self.kind, self.sentence, self.make = name, kind, sentence, make
        self.findings, self.may_change = frozenset(findings), may_change


def feature(name, kind, sentence, findings=(), may_change=True):
    def register(make):
        FEATURES[name] = Feature(name, kind, sentence, findings, may_change, make)
        return make
    return register


def all_features():
    """All features by name. The modules that define them need this one, so they are loaded here only."""
    for module in MODULES:
        importlib.import_module(module)
    return FEATURES


def write(content, path):
    if isinstance(content, bytes):
        with open(path, "wb") as file:
            file.write(content)
        return
    os.makedirs(path)
    for name, data in content.items():
        whole = os.path.join(path, name)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "wb") as file:
            file.write(data)


# --- Parts of gold files


def identity(words):
    """A UUID and a salt, always the same for the same words."""
    digest = hashlib.sha256(words.encode()).digest()
    return digest[:6] + bytes([digest[6] & 15 | 64]) + digest[7:8] + bytes([digest[8] & 63 | 128]) + digest[9:16], int.from_bytes(
        digest[16:24], "little")


def new_file(plan, words, **options):
    uuid, salt = identity(words)
    return BlockFile(plan, uuid, salt, **options)


def xml_model(*entities, more=""):
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">'
            + "".join(entities) + more + "</model>\n")


def entity(name, *members, parent=None, is_abstract=False):
    above = f' parentEntity="{parent}"' if parent else ""
    abstract = ' isAbstract="YES"' if is_abstract else ""
    return f'<entity name="{name}"{above}{abstract}>{"".join(members)}</entity>'


def attribute(name, kind, more=""):
    return f'<attribute name="{name}" optional="YES" attributeType="{kind}"{" " + more if more else ""}/>'


def to_one(name, destination, inverse=None):
    return _relationship(name, destination, inverse, 'maxCount="1"')


def to_many(name, destination, inverse=None, is_ordered=False):
    return _relationship(name, destination, inverse, 'toMany="YES"' + (' ordered="YES"' if is_ordered else ""))


def _relationship(name, destination, inverse, more):
    back = f' inverseName="{inverse}" inverseEntity="{destination}"' if inverse else ""
    return f'<relationship name="{name}" optional="YES" {more} destinationEntity="{destination}"{back}/>'


NOTES = xml_model(entity("Note", attribute("stars", "Integer 16"), attribute("text", "String")))
CITIES = ("Lisboa", "Porto", "Évora", "Faro", "Braga", "Coimbra", "Aveiro", "Sintra")


def notes(count, first=1):
    """Rows of notes, by key."""
    return {key: {"stars": key * 3 % 11 - 4, "text": CITIES[key % len(CITIES)].encode()} for key in range(first, first + count)}
