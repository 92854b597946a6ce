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


class Document:
    def __init__(self, files, report):
        self.files, self.report = files, report
        self.seen, self.foreign, self.known_models = set(), set(), {}
        self.heads, self.recoveries = [], []
        self.manifest = None
        self.begin_head()

    def begin_head(self):
        """Forgets what was found about the head before."""
        self.facts, self.model, self.log = {}, None, None

    def add(self, rule, message):
        self.report.add(rule, message)

    def judge(self):
        kind = self.files.kind("manifest.json")
        if kind is None:
            self.report.format = "unknownFormat"
            return self.add("CONT-001", "there is no manifest")
        if kind != "file":
            return self.add("CONT-002", f"the manifest is a {kind}")
        manifest = self.manifest = manifests.Manifest(self.files.read("manifest.json"), self.report)
        if not manifest.is_document or manifest.is_newer:
            self.report.format = "newerFormat" if manifest.is_newer else "unknownFormat"
            return None
        self.heads = [manifest, *(self.read_heads(manifest) if manifest.is_sound else [])]
        for head in self.heads:
            self.judge_head(head)
        self.judge_agreement()
        if manifest.is_sound:
            self.judge_folder()
        return None

    def read_heads(self, main):
        """7.7.2: the manifests of the other heads."""
        for name in main.heads:
            path = f"heads/{name}.json"
            if not self.is_there(path, "CONT-024"):
                continue
            head = manifests.Manifest(self.files.read(path), self.report, path)
            if not head.is_document or head.is_newer:
                continue
            if head.head != name or head.uuid != main.uuid:
                self.add("CONT-024", f"{path} is the manifest of another head or document")
                continue
            yield head

    def judge_head(self, manifest):
        self.begin_head()
        if manifest.is_sound:
            self.read_log(manifest)
        manifest.log_read = self.log
        for entry in manifest.models:
            self.judge_model(entry, manifest)
        for entry in manifest.attachments:
            self.judge_attachment(entry)
        for store in manifest.stores:
            self.judge_store(store, manifest, manifest.is_sound)
        recovery = self.judge_recovery(manifest)
        self.recoveries += [recovery] if recovery is not None else []

    def judge_agreement(self):
        """7.7.3 and 7.7.4"""
        versions, files = {}, {}
        for head in self.heads:
            for number, description in head.descriptions.items():
                if versions.setdefault(number, description) != description:
                    self.add("CONT-025", f"version {number} is another in {head.path}")
            for file in (store["file"].lower() for store in head.stores if store["file"] is not None):
                if files.setdefault(file, head) is not head:
                    self.add("CONT-026", f"two heads write to {file}")
        for head in self.heads:
            for file in (one["file"].lower() for store in head.stores for one in store["earlier"] if one["file"] is not None):
                if files.get(file, head) is not head:
                    self.add("CONT-026", f"another head writes to {file}")

    def read_log(self, manifest):
        """7.4.11: adds the versions in the log to those of the manifest."""
        store = manifest.log_store()
        if store is None or manifest.newest is None or self.files.kind(store["file"].split("/")[0]) != "folder":
            return
        if self.files.kind(store["file"]) != "file":
            return
        self.log = store["name"]
        for number, before in blockfile.File(self.files.read(store["file"])).versions(manifest.newest):
            if before != manifest.versions[-1]:
                self.add("CONT-022", f"version {number} does not follow the version before")
            manifest.versions.append(number)
            store["commit"] = number

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

    def first_seen(self, name):
        is_first = name is not None and name not in self.seen
        self.seen.add(name)
        return is_first

    def judge_model(self, entry, manifest):
        name = entry["file"]
        if self.first_seen(name) and self.is_there(name, "CONT-004"):
            try:
                self.known_models[name] = models.Model(self.files.read(name))
            except Refused as refused:
                return self.add("CONT-008", f"{name}: {refused}")
        found = self.known_models.get(name)
        if found is None or entry["hashes"] is None:
            return
        if found.hashes() != entry["hashes"]:
            return self.add("CONT-009", f"{name} has other hashes")
        if entry["name"] == manifest.model:
            self.model = found

    def judge_attachment(self, entry):
        if entry["digest"] is None:
            return
        name = f"attachments/{entry['digest']}"
        if not self.first_seen(name) or not self.is_there(name, "CONT-005"):
            return
        data = self.files.read(name)
        if entry["byteCount"] is not None and len(data) != entry["byteCount"]:
            self.add("CONT-006", f"{name} has {len(data)} bytes")
        elif hashlib.sha256(data).hexdigest() != entry["digest"]:
            self.add("CONT-007", f"{name} has another digest")

    # --- Stores

    def judge_store(self, store, manifest, is_sound):
        if store["type"] is not None and store["type"] not in KNOWN:
            self.report.unchecked.append(f"the store '{store['name']}' is of the type '{store['type']}'")
            for name in [store["file"], *(one["file"] for one in store["earlier"])]:
                if self.first_seen(name) and self.is_there(name, "CONT-003", True):
                    self.judge_address(name, store)
            return
        oldest = []
        for one in store["earlier"]:
            found = self.judge_file(one["file"], one["commit"], store, one["uuid"] or store["uuid"], True)
            oldest.append(found and min(found[0], default=one["commit"]))
        found = self.judge_file(store["file"], store["commit"], store, store["uuid"], False)
        oldest.append(found and min(found[0], default=store["commit"]))
        if is_sound:
            self.judge_versions(manifest.versions, store, oldest)
        if found is None:
            return
        if store["name"] is not None:
            self.facts[store["name"]] = found
        self.judge_store_model(found[1], store)

    def judge_file(self, name, commit, store, uuid, is_earlier):
        """The numbers of a store's commits, its model, and those behind the one that counts; None where it has errors."""
        if not self.first_seen(name) or not self.is_there(name, "CONT-003"):
            return None
        if not self.judge_address(name, store):
            return None
        report = Report()
        data = self.files.read(name)
        facts = xml_facts if xmlstore.may_begin(data) else block_facts
        is_log = self.log is not None and store["name"] == self.log and not is_earlier
        own_uuid, kind, *found = facts(data, report, commit, is_log)
        self.report.take(report, lambda rule: not is_earlier or not rule.startswith("GRAF"))
        if own_uuid is not None and uuid is not None and own_uuid != uuid:
            self.add("CONT-010", f"{name} has another UUID")
        if kind is not None and store["type"] is not None and kind != store["type"]:
            self.add("CONT-011", f"{name} is of the type {kind}")
        return None if report.error_count else found

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

    def judge_store_model(self, own, store):
        if self.model is None or own is None:
            return
        hashes, own_hashes = self.model.hashes(), own.hashes()
        entities = set(hashes)
        if store["configuration"] is not None:
            known = dict(self.model.configurations).get(store["configuration"])
            if known is None:
                return self.add("CONT-013", f"there is no configuration '{store['configuration']}'")
            if set(own_hashes) != entities:
                entities = set(known)
        if own_hashes != {name: hash_ for name, hash_ in hashes.items() if name in entities}:
            self.add("CONT-013", f"the store '{store['name']}' is of another model")

    # --- 7.6 and 7.2.4

    def judge_recovery(self, manifest):
        path = "recovery.json" if manifest.head is None else f"heads/{manifest.head}.recovery.json"
        kind = self.files.kind(path)
        if kind is None:
            return None
        report = Report()
        recovery = manifests.Manifest(self.files.read(path), report, manifest.path) if kind == "file" else None
        is_sound = recovery is not None and recovery.is_document and not report.error_count and (
            manifest.uuid is None or recovery.uuid == manifest.uuid) and recovery.head == manifest.head
        if not is_sound or not all(self.finds_commit(store, manifest) for store in recovery.stores):
            self.add("CONT-018", "the recovery can't be read")
            return None
        self.add("CONT-019", "there is a recovery")
        return recovery

    def finds_commit(self, store, manifest):
        kind = self.files.kind(store["file"])
        if kind != "file" and (store["type"] in KNOWN or kind != "folder"):
            return False
        found = self.facts.get(store["name"])
        known = next((one for one in manifest.stores if one["name"] == store["name"]), None)
        if (found is None or known is None or known["file"] != store["file"] or known["commit"] == store["commit"]
                or not found[0]):
            return True
        return store["commit"] in found[2]

    def judge_folder(self):
        for name in self.files.list(""):
            kind = self.files.kind(name)
            known = ("manifest.json", "recovery.json", ".lock", ".sharing")
            if not (name in FOLDERS and kind == "folder") and name not in known:
                self.judge_unnamed(name, kind, False)
        named = set(self.seen)
        for name in self.manifest.heads:
            named |= {f"heads/{name}.json", f"heads/{name}.recovery.json"}
        for recovery in self.recoveries:
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
    if folder == "models":
        return name.endswith(".xml")
    if folder == "heads":
        return name.endswith(".json")
    # The name of a file of a head besides `main` may begin with the name of the head and a dot.
    return any(re.fullmatch(r".*-[0-9]+", part, re.ASCII) for part in name.split(".")[:2])
