"""Documents (7), in a folder or packed (8)."""

import hashlib
import os
import re

import blockfile
import manifest as manifests
import model as models
import xmlstore
from findings import Refused, Report

FOLDERS = ("models", "stores", "attachments", "heads")
KNOWN = (*manifests.BLOCK_FILES, "XML")


class Folder:
    """A folder on a disk."""

    def __init__(self, path):
        self.path = path

    def kind(self, name):
        path = os.path.join(self.path, name)
        if os.path.islink(path):
            return "link"
        if os.path.isdir(path):
            return "folder"
        return ("file" if os.path.isfile(path) else "other") if os.path.exists(path) else None

    def read(self, name):
        with open(os.path.join(self.path, name), "rb") as source:
            return source.read()

    def list(self, name):
        return sorted(os.listdir(os.path.join(self.path, name)))


class Head:
    """A line of versions (7.7.1): its manifest, and what the files that the manifest names contain."""

    def __init__(self, name, manifest, is_sound):
        self.name, self.manifest, self.is_sound = name, manifest, is_sound
        self.seen, self.facts = set(), {}
        self.model = self.log = None

    def first_seen(self, name):
        is_first = name is not None and name not in self.seen
        self.seen.add(name)
        return is_first

    @property
    def recovery_path(self):
        """7.7.8"""
        return "recovery.json" if self.name == "main" else f"heads/{self.name}.recovery.json"


class Document:
    def __init__(self, files, report):
        self.files, self.report = files, report
        self.foreign, self.kept, self.counted, self.heads = set(), {}, {}, []

    def add(self, rule, message):
        self.report.add(rule, message)

    def judge(self):
        kind = self.files.kind("manifest.json")
        if kind is None:
            self.report.format = "unknownFormat"
            return self.add("CONT-001", "there is no manifest")
        if kind != "file":
            return self.add("CONT-002", f"the manifest is a {kind}")
        manifest = manifests.Manifest(self.files.read("manifest.json"), self.report)
        if not manifest.is_document or manifest.is_newer:
            self.report.format = "newerFormat" if manifest.is_newer else "unknownFormat"
            return None
        heads = [Head("main", manifest, not self.report.error_count), *(self.read_head(name, manifest) for name in manifest.heads)]
        self.heads = [head for head in heads if head is not None]
        self.count_commits()
        for head in self.heads:
            self.judge_head(head)
        self.judge_numbers()
        self.judge_files()
        self.judge_current(manifest)
        recoveries = {head.recovery_path: self.judge_recovery(head) for head in self.heads}
        if all(head is not None and head.is_sound for head in heads):
            self.judge_folder(recoveries)
        return None

    def judge_head(self, head):
        if head.is_sound:
            self.read_log(head)
        for entry in head.manifest.models:
            self.judge_model(entry, head)
        for entry in head.manifest.attachments:
            self.judge_attachment(entry, head)
        for store in head.manifest.stores:
            self.judge_store(store, head)

    # --- 7.7

    def read_head(self, name, main):
        """7.7.2: the head with a name; None where a reader refuses its manifest."""
        path, report = f"heads/{name}.json", Report()
        if not self.is_there(path, "CONT-024"):
            return None
        manifest = manifests.Manifest(self.files.read(path), report, name)
        if not manifest.is_document:
            return self.add("CONT-024", f"{path} is not a manifest")
        if manifest.head not in (None, name) or manifest.head is None and not report.error_count:
            return self.add("CONT-024", f"{path} is the manifest of the head '{manifest.head}'")
        if manifest.uuid != main.uuid and None not in (manifest.uuid, main.uuid):
            return self.add("CONT-024", f"{path} is of another document")
        self.report.take(report)
        return None if manifest.is_newer else Head(name, manifest, not report.error_count)

    def count_commits(self):
        """Finds the last commit that counts in each earlier file, which several heads may name. Up to that commit the file is judged, once."""
        for head in self.heads:
            for one in (one for store in head.manifest.stores for one in store["earlier"] if one["commit"] is not None):
                self.counted[one["file"]] = max(one["commit"], self.counted.get(one["file"], 0))

    def judge_numbers(self):
        """7.7.3"""
        known = {}
        for head in self.heads:
            for number, details in head.manifest.details.items() if head.is_sound else ():
                if known.setdefault(number, details) != details:
                    self.add("CONT-025", f"version {number} is another in the head '{head.name}'")

    def judge_current(self, manifest):
        """7.7.10"""
        kind = self.files.kind("heads/current")
        if kind not in (None, "file"):
            self.add("CONT-027", f"heads/current is a {kind}")
        elif kind and self.heads[0].is_sound and self.files.read("heads/current").decode("utf-8", "replace") not in {
                f"{name}\n" for name in ("main", *manifest.heads)}:
            self.add("CONT-027", "heads/current does not contain the name of a head")

    def judge_files(self):
        """7.7.4"""
        names, files = {}, set()
        for head in self.heads:
            for store in head.manifest.stores:
                files.add(store["file"])
                for one in (store, *store["earlier"]):
                    names.setdefault((one["file"] or "").lower(), set()).add(head.name)
        for file in sorted({file.lower() for file in files if file is not None}):
            if len(names[file]) > 1:
                self.add("CONT-026", f"{file} is the file of a store, and {sorted(names[file])} name it")

    # --- Files

    def read_log(self, head):
        """7.4.11: adds the versions in the log to those of the manifest."""
        manifest, store = head.manifest, head.manifest.log_store()
        if store is None or manifest.newest is None or self.files.kind(store["file"].split("/")[0]) != "folder":
            return
        if self.files.kind(store["file"]) != "file":
            return
        head.log = store["name"]
        for version in blockfile.File(self.files.read(store["file"])).versions(manifest.newest):
            number = store["commit"] = version["number"]
            if version["before"] != manifest.versions[-1]:
                self.add("CONT-022", f"version {number} does not follow the version before")
            manifest.versions.append(number)
            manifest.details[number] = {
                "saved": manifests.date_of(version["time"]), "model": manifest.model, "author": version["author"] or None,
                "message": version["message"]}

    def is_there(self, name, missing, may_be_folder=False):
        """7.2.3"""
        for path, kinds in ((name.split("/")[0], ("folder",)), (name, ("file", "folder") if may_be_folder else ("file",))):
            kind = self.files.kind(path)
            if kind is None:
                self.add(missing, f"{path} is not there")
                return False
            if kind not in kinds:
                if path not in self.foreign:
                    self.add("CONT-002", f"{path} is a {kind}")
                self.foreign.add(path)
                return False
        return True

    def once(self, name, read, *words):
        """What a function finds in a file, which is read and judged once, even if several heads name it."""
        if name not in self.kept:
            self.kept[name] = read(name, *words)
        return self.kept[name]

    def judge_model(self, entry, head):
        name = entry["file"]
        found = self.once(name, self.read_model) if head.first_seen(name) else None
        if found is None or entry["hashes"] is None:
            return None
        if found.hashes() != entry["hashes"]:
            return self.add("CONT-009", f"{name} has other hashes")
        if entry["name"] == head.manifest.model:
            head.model = found
        return None

    def read_model(self, name):
        if not self.is_there(name, "CONT-004"):
            return None
        try:
            return models.Model(self.files.read(name))
        except Refused as refused:
            return self.add("CONT-008", f"{name}: {refused}")

    def judge_attachment(self, entry, head):
        name = f"attachments/{entry['digest']}"
        if entry["digest"] is None or not head.first_seen(name):
            return
        found = self.once(name, self.read_attachment)
        if found is None:
            return
        count, digest = found
        if entry["byteCount"] is not None and count != entry["byteCount"]:
            self.add("CONT-006", f"{name} has {count} bytes")
        elif digest != entry["digest"]:
            self.add("CONT-007", f"{name} has another digest")

    def read_attachment(self, name):
        if not self.is_there(name, "CONT-005"):
            return None
        data = self.files.read(name)
        return len(data), hashlib.sha256(data).hexdigest()

    # --- Stores

    def judge_store(self, store, head):
        if store["type"] is not None and store["type"] not in KNOWN:
            self.report.unchecked.append(f"the store '{store['name']}' is of the type '{store['type']}'")
            for name in [store["file"], *(one["file"] for one in store["earlier"])]:
                if head.first_seen(name):
                    self.once(name, self.read_foreign, store)
            return
        oldest = []
        for one in store["earlier"]:
            found = self.judge_file(one["file"], one["commit"], store, one["uuid"] or store["uuid"], head, True)
            oldest.append(found and min(found[0], default=one["commit"]))
        found = self.judge_file(store["file"], store["commit"], store, store["uuid"], head, False)
        oldest.append(found and min(found[0], default=store["commit"]))
        if head.is_sound:
            self.judge_versions(head.manifest.versions, store, oldest)
        if found is None:
            return
        if store["name"] is not None:
            head.facts[store["name"]] = found
        self.judge_store_model(found[1], store, head.model)

    def judge_file(self, name, commit, store, uuid, head, is_earlier):
        """The numbers of a store's commits, its model, and those behind the one that counts; None where it has errors."""
        is_log = head.log is not None and store["name"] == head.log and not is_earlier
        facts = self.once(name, self.read_store, store, commit, is_log, is_earlier) if head.first_seen(name) else None
        if facts is None:
            return None
        own_uuid, kind, found = facts
        if own_uuid is not None and uuid is not None and own_uuid != uuid:
            self.add("CONT-010", f"{name} has another UUID")
        if kind is not None and store["type"] is not None and kind != store["type"]:
            self.add("CONT-011", f"{name} is of the type {kind}")
        # Another head may have judged the file up to a later commit.
        if is_earlier and found and found[0] and commit is not None and commit not in found[0]:
            self.add("CONT-012", f"there is no commit {commit}")
        return found

    def read_store(self, name, store, commit, is_log, is_earlier):
        """The UUID and the type of a file, and what `judge_file` returns."""
        if not self.is_there(name, "CONT-003") or not self.judge_address(name, store):
            return None
        report = Report()
        data = self.files.read(name)
        facts = xml_facts if xmlstore.may_begin(data) else block_facts
        own_uuid, kind, *found = facts(data, report, self.counted.get(name, commit) if is_earlier else commit, is_log)
        self.report.take(report, lambda rule: not is_earlier or not rule.startswith("GRAF"))
        return own_uuid, kind, None if report.error_count else found

    def read_foreign(self, name, store):
        if self.is_there(name, "CONT-003", True):
            self.judge_address(name, store)

    def judge_address(self, name, store):
        """7.2.5: whether the file is not one for an address, or contains one line for a store that can lie on a server."""
        if not name.endswith(".address") or self.files.kind(name) != "file":
            return True
        data = self.files.read(name)
        try:
            lines = data.decode("utf-8").removesuffix("\n").splitlines()
        except UnicodeDecodeError:
            lines = []
        is_address = len(data) <= 4096 and len(lines) == 1 and lines[0] != ""
        if store["type"] in KNOWN or not is_address:
            self.add("CONT-023", f"{name} contains no address")
            return False
        return True

    def judge_versions(self, versions, store, oldest):
        """7.4.5"""
        ends = [*(one["until"] for one in store["earlier"]), None]
        index = 0
        for version in versions:
            while ends[index] is not None and ends[index] <= version:
                index += 1
            if oldest[index] is not None and version < oldest[index]:
                return self.add("CONT-014", f"the store '{store['name']}' has no commit for version {version}")
        return None

    def judge_store_model(self, own, store, model):
        if model is None or own is None:
            return
        hashes, own_hashes = model.hashes(), own.hashes()
        entities = set(hashes)
        if store["configuration"] is not None:
            known = dict(model.configurations).get(store["configuration"])
            if known is None:
                return self.add("CONT-013", f"there is no configuration '{store['configuration']}'")
            if set(own_hashes) != entities:
                entities = set(known)
        if own_hashes != {name: hash_ for name, hash_ in hashes.items() if name in entities}:
            self.add("CONT-013", f"the store '{store['name']}' is of another model")

    # --- 7.6 and 7.2.4

    def judge_recovery(self, head):
        path, place = head.recovery_path, head.manifest.place
        kind = self.files.kind(path)
        if kind is None:
            return None
        report, uuid = Report(), head.manifest.uuid
        recovery = manifests.Manifest(self.files.read(path), report, place) if kind == "file" else None
        is_sound = recovery is not None and recovery.is_document and not report.error_count and (
            recovery.head == place and (uuid is None or recovery.uuid == uuid))
        if not is_sound or not all(self.finds_commit(store, head) for store in recovery.stores):
            return self.add("CONT-018", f"{path} can't be read")
        self.add("CONT-019", f"there is {path}")
        return recovery

    def finds_commit(self, store, head):
        kind = self.files.kind(store["file"])
        if kind != "file" and (store["type"] in KNOWN or kind != "folder"):
            return False
        found = head.facts.get(store["name"])
        known = next((one for one in head.manifest.stores if one["name"] == store["name"]), None)
        if (found is None or known is None or known["file"] != store["file"] or known["commit"] == store["commit"]
                or not found[0]):
            return True
        return store["commit"] in found[2]

    def judge_folder(self, recoveries):
        for name in self.files.list(""):
            kind = self.files.kind(name)
            known = ("manifest.json", "recovery.json", "remotes.json", ".lock", ".sharing")
            if not (name in FOLDERS and kind == "folder") and name not in known:
                self.judge_unnamed(name, kind, False)
        named = {"heads/current", *(f"heads/{head.name}.json" for head in self.heads)}.union(recoveries, *(head.seen for head in self.heads))
        for recovery in filter(None, recoveries.values()):
            named |= {one["file"] for one in recovery.models}
            named |= {name for store in recovery.stores for name in [store["file"], *(one["file"] for one in store["earlier"])]}
            named |= {f"attachments/{one['digest']}" for one in recovery.attachments}
        for folder in FOLDERS:
            if self.files.kind(folder) != "folder":
                continue
            for name in self.files.list(folder):
                path = f"{folder}/{name}"
                if path not in named and path not in self.foreign:
                    self.judge_unnamed(path, self.files.kind(path), is_leftover(name, folder))

    def judge_unnamed(self, name, kind, is_left):
        if name in self.foreign:
            return
        is_hidden = name.split("/")[-1].startswith(".")
        is_left = kind == "file" and (is_left or is_hidden) or kind == "folder" and is_left
        self.add("CONT-016" if is_left else "CONT-017", f"nothing names {name}")


def block_facts(data, report, commit, is_log):
    """The UUID, the type, the numbers of the commits, the model, and the numbers of commits behind the one that counts."""
    file = blockfile.File(data, report, commit, is_log).judge()
    return file.uuid, file.kind, [record.number for _, record in file.commits], file.model, file.unconfirmed


def xml_facts(data, report, *_):
    """As `block_facts`. An XML store has no numbers of commits."""
    store = xmlstore.Store(data, report)
    store.judge()
    is_read = report.format == "known" and "XMLS-001" not in report.rules
    return store.uuid if is_read else None, "XML" if is_read else None, [], store.model, []


def is_leftover(name, folder):
    """Whether a name is one that saves make (7.2.4)."""
    if folder == "attachments":
        return re.fullmatch(r"[0-9a-f]{64}", name, re.ASCII) is not None
    if folder in ("models", "heads"):
        return name.endswith(".xml" if folder == "models" else ".json")
    # The name of a file of a head besides `main` may begin with the name of the head and a dot.
    return any(re.fullmatch(r".*-[0-9]+", part, re.ASCII) for part in name.split(".")[:2])
