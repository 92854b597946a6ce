"""Packs (16.2)."""

import hashlib
import re

import patch
from archive import Archive
from findings import Refused
from manifest import UUID, Number, is_date, is_head_name
from patch import is_text, object_of, require

NAME = re.compile(r"([0-9a-f]{64})\.quirepack", re.ASCII)
MOST_VERSIONS = 1 << 20


def is_digest(value):
    return is_text(value) and re.fullmatch(r"[0-9a-f]{64}", value, re.ASCII) is not None


def is_count(value):
    return isinstance(value, Number) and re.fullmatch(r"[0-9]{1,18}", value, re.ASCII) is not None


class Part:
    """The entries of an archive below a folder, as `document.Folder` has them."""

    def __init__(self, files, folder):
        self.files, self.folder = files, folder

    def path(self, name):
        return f"{self.folder}/{name}" if name else self.folder

    def kind(self, name):
        return self.files.kind(self.path(name))

    def read(self, name):
        return self.files.read(self.path(name))

    def list(self, name):
        return self.files.list(self.path(name))


class Version:
    """A version as a pack describes it (16.2.4)."""

    def __init__(self, members, pack):
        self.pack, self.members = pack, members
        self.identity, self.parents, self.head, self.saved = (self.needed(name) for name in ("identity", "parents", "head", "saved"))
        require(is_digest(self.identity), "16.2.4", "the identity of a version is not a digest")
        require(isinstance(self.parents, list) and all(map(is_digest, self.parents)) and self.identity not in self.parents,
                "16.2.4", "the parents of a version are not other identities")
        require(is_text(self.head) and (self.head == "main" or is_head_name(self.head)), "16.2.4", f"the head is {self.head!r}")
        require(is_text(self.saved) and is_date(self.saved), "16.2.4", f"the date is {self.saved!r}")
        self.author, self.message, self.start, self.changes, self.model = (
            self.text(name) for name in ("author", "message", "from", "changes", "model"))
        require((self.start is None) == (self.changes is None), "16.2.4", "one of 'from' and 'changes' is there alone")
        require(self.model is None or self.start is not None, "16.2.4", "'model' is there without 'from'")
        require(self.start is None or self.start in self.parents, "16.2.4", "'from' is not a parent")
        self.files = self.read_files()

    def needed(self, name):
        require(name in self.members, "16.2.4", f"a version has no '{name}'")
        return self.members[name]

    def text(self, name):
        value = self.members.get(name)
        require(name not in self.members or is_text(value), "16.2.4", f"'{name}' is not text")
        return value

    def read_files(self):
        found, listed = {}, self.members.get("attachments", [])
        require(isinstance(listed, list), "16.2.4", "'attachments' is not a list")
        for one in listed:
            name = one.get("name") if isinstance(one, dict) else None
            require(is_text(name) and name not in found, "16.2.4", "an attachment has no name, or that of another")
            found[name] = tuple(self.read_file(one[side]) if side in one else None for side in ("old", "new"))
        return found

    @staticmethod
    def read_file(one):
        require(isinstance(one, dict) and is_digest(one.get("digest")) and is_count(one.get("byteCount")), "16.2.4",
                "an attachment has no digest or no size")
        return one["digest"], int(one["byteCount"])

    def difference(self, own_inverses=()):
        """The difference from `start` to this version."""
        found = patch.read(self.pack.files.read(self.changes), own_inverses)
        found.files = {name: pair for name, pair in self.files.items() if pair[0] != pair[1]}
        return found


class Pack:
    """A pack that is whole. `Refused` tells why a file is none."""

    def __init__(self, name, data):
        match = NAME.fullmatch(name)
        require(match, "16.1.1", "the name is not that of a pack")
        require(hashlib.sha256(data).hexdigest() == match.group(1), "16.1.3", "the bytes have another digest than the name says")
        self.name, self.files = name, Archive(data)
        require(not self.files.damaged, "8.5.3", f"the entry {next(iter(self.files.damaged), None)} is damaged")
        require(self.files.kind("pack.json") == "file", "16.2.1", "there is no pack.json")
        members = object_of(self.files.read("pack.json"), "16.2.2")
        require(members.get("format") == "quire-pack" and is_text(members["format"]), "16.2.2", "the pack is of another format")
        require(isinstance(members.get("version"), Number) and members["version"] == "1", "16.2.2",
                f"the pack is of version {members.get('version')}")
        self.stores = members.get("stores")
        require(self.has_stores(), "16.2.2", "the stores are no UUIDs in capital letters and ascending order")
        listed = members.get("versions")
        require(isinstance(listed, list) and 0 < len(listed) <= MOST_VERSIONS and all(isinstance(one, dict) for one in listed),
                "16.2.2", "the pack has no versions, or too many")
        self.versions = [Version(one, self) for one in listed]
        self.check_entries()

    def has_stores(self):
        return isinstance(self.stores, list) and all(is_text(one) and UUID.fullmatch(one) and one == one.upper() for one in self.stores) and (
            self.stores == sorted(set(self.stores)))

    def check_entries(self):
        """16.2.4 to 16.2.6"""
        whole = [one for one in self.versions if one.start is None]
        require(len(whole) <= 1, "16.2.5", "the pack has two versions with a document")
        for one in self.versions:
            name = "document/manifest.json" if one.start is None else one.changes
            for needed in (name,) if one.model is None else (name, one.model):
                require(self.files.kind(needed) == "file", "16.2.4", f"the entry {needed} is not there")
            for digest, count in (new for _, new in one.files.values() if new is not None):
                self.check_attachment(digest, count)

    def check_attachment(self, digest, count):
        path = next((path for path in (f"attachments/{digest}", f"document/attachments/{digest}") if self.files.kind(path) == "file"), None)
        require(path is not None, "16.2.6", f"the attachment {digest} is not there")
        data = self.files.read(path)
        require(len(data) == count and hashlib.sha256(data).hexdigest() == digest, "16.2.6", f"the attachment {digest} has other bytes")

    @property
    def document(self):
        """The files of the document in the pack."""
        return Part(self.files, "document")


def read(name, data):
    """A pack, or the reason why a reader leaves it out."""
    try:
        return Pack(name, data), None
    except Refused as refused:
        return None, str(refused)
