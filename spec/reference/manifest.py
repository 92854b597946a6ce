"""The manifest of a document (7.3)."""

import calendar
import datetime
import json
import re
import unicodedata

from findings import crc32c, is_feature

DEVICES = {"con", "prn", "aux", "nul", *(f"com{n}" for n in range(1, 10)), *(f"lpt{n}" for n in range(1, 10))}
HIGHEST = 1 << 62
BLOCK_FILES = ("Binary", "CompressedBinary")
UUID = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")


class NotJSON(Exception):
    pass


class Number(str):
    """A number as it is spelled."""


def read_json(data):
    """7.3.1"""
    def members(pairs):
        names = [unicodedata.normalize("NFC", name) for name, _ in pairs]
        if len(set(names)) != len(names):
            raise NotJSON("a name is there twice")
        return dict(pairs)

    def constant(text):
        raise NotJSON(f"{text} is not a value")
    try:
        text = data.decode("utf-8")
        if text.startswith("\ufeff"):
            raise NotJSON("the text begins with a byte order mark")
        value = json.loads(text, object_pairs_hook=members, parse_int=Number, parse_float=Number, parse_constant=constant)
        check(value, 32)
        return value
    except (UnicodeError, ValueError, RecursionError) as error:
        raise NotJSON(str(error)) from None


def check(value, depth):
    if isinstance(value, (dict, list)):
        if depth == 0:
            raise NotJSON("values are too deep")
        for name, one in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(name, str):
                name.encode("utf-8")
            check(one, depth - 1)
    elif isinstance(value, str):
        value.encode("utf-8")


def is_file_name(path, folder):
    """7.2.2"""
    parts = path.split("/")
    if len(parts) != 2 or parts[0] != folder:
        return False
    name = parts[1]
    return (re.fullmatch(r"[A-Za-z0-9_.-]{1,200}", name, re.ASCII) is not None and name[0] != "." and name[-1] != "."
            and name.split(".")[0].lower() not in DEVICES)


def is_head_name(text):
    """7.7.2"""
    return re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,63}", text, re.ASCII) is not None and text.lower() not in {"main", *DEVICES}


def is_date(text):
    """7.3.2"""
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text, re.ASCII):
        return False
    year, month, day = int(text[:4]), int(text[5:7]), int(text[8:10])
    return (year >= 1 and 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1] and int(text[11:13]) < 24
            and int(text[14:16]) < 60 and int(text[17:19]) < 60)


def date_of(time):
    """7.4.11: the date of a time of a commit, or the nearest one that a date can have."""
    start, millisecond = datetime.datetime(2001, 1, 1), datetime.timedelta(milliseconds=1)
    least, greatest = ((one - start) // millisecond for one in (datetime.datetime.min, datetime.datetime.max))
    date = start + min(max(time, least), greatest) * millisecond
    return f"{date.isoformat(timespec='milliseconds')}Z"


class Members:
    """The members of an object, each judged when it is asked for."""

    def __init__(self, values, report):
        self.values, self.report, self.asked = values, report, set()

    def add(self, rule, message):
        self.report.add(rule, message)

    def get(self, name, is_needed):
        self.asked.add(name)
        value = self.values.get(name)
        if value is None and is_needed:
            self.add("MANI-004", f"'{name}' is missing")
        return value

    def text(self, name, is_needed=True):
        value = self.get(name, is_needed)
        if value is None:
            return None
        if isinstance(value, str) and not isinstance(value, Number):
            return value
        return self.add("MANI-005", f"'{name}' is not text")

    def name(self, name, limit):
        text = self.text(name)
        if text is None or 1 <= len(text.encode()) <= limit:
            return text
        return self.add("MANI-010", f"'{name}' is too long or empty")

    def number(self, name, least, greatest, is_needed=True):
        value = self.get(name, is_needed)
        if value is None:
            return None
        if not isinstance(value, Number) or re.search(r"[.eE]", value):
            return self.add("MANI-005", f"'{name}' is not a whole number")
        if not least <= int(value) <= greatest:
            return self.add("MANI-006", f"'{name}' is {value}")
        return int(value)

    def uuid(self, name, is_needed=True):
        text = self.text(name, is_needed)
        if text is None:
            return None
        if not UUID.fullmatch(text):
            return self.add("MANI-008", f"'{name}' is no UUID")
        return bytes.fromhex(text.replace("-", ""))

    def date(self, name):
        text = self.text(name)
        if text is None or is_date(text):
            return text
        return self.add("MANI-007", f"'{name}' is not a date")

    def digest(self, name):
        text = self.text(name)
        if text is None or re.fullmatch(r"[0-9a-f]{64}", text, re.ASCII):
            return text
        return self.add("MANI-009", f"'{name}' is not a digest")

    def file(self, name, folder):
        text = self.text(name)
        if text is None or is_file_name(text, folder):
            return text
        return self.add("MANI-011", f"'{name}' names no file")

    def flag(self, name):
        value = self.get(name, False)
        if value is None or isinstance(value, bool):
            return bool(value)
        return self.add("MANI-005", f"'{name}' is neither true nor false")

    def texts(self, name):
        value = self.get(name, False)
        if value is None:
            return {}
        if not isinstance(value, dict):
            return self.add("MANI-005", f"'{name}' is not an object")
        found = {}
        for key, one in value.items():
            if isinstance(one, str) and not isinstance(one, Number):
                found[key] = one
            else:
                self.add("MANI-005", f"'{name}' contains no text")
        return found

    def list(self, name, is_needed=True):
        """The objects of a list, whether it has none, and whether all in it are objects; None where it is none."""
        value = self.get(name, is_needed)
        if value is None:
            return None if is_needed else ([], True, True)
        if not isinstance(value, list):
            return self.add("MANI-005", f"'{name}' is not a list")
        objects = [Members(one, self.report) for one in value if isinstance(one, dict)]
        for _ in range(len(value) - len(objects)):
            self.add("MANI-005", f"an element of '{name}' is not an object")
        return objects, not value, len(objects) == len(value)

    def elements(self, name, read):
        """What a function reads of the elements of a list that may be absent. Each is judged as a member with the name of the list is."""
        value = self.get(name, False)
        if value is not None and not isinstance(value, list):
            self.add("MANI-005", f"'{name}' is not a list")
            return []
        for _ in range((value or []).count(None)):
            self.add("MANI-005", f"an element of '{name}' is null")
        found = (read(Members({name: one}, self.report)) for one in value or [] if one is not None)
        return [one for one in found if one is not None]

    def finish(self):
        for name in self.values.keys() - self.asked:
            self.add("MANI-012", f"'{name}' is not known")


class Manifest:
    """What a manifest says, as far as it makes sense. `place` is the head that its place in the folder belongs to (7.7.2), None for `main`."""

    def __init__(self, data, report, place=None):
        self.report, self.place = report, place
        self.is_document = self.is_newer = False
        self.models, self.stores, self.attachments, self.versions, self.version_models = [], [], [], [], []
        self.heads, self.details, self.merged, self.received = [], {}, {}, {}
        self.uuid = self.model = self.newest = self.log = self.head = None
        self.knows_models = False
        try:
            values = read_json(data)
        except NotJSON as error:
            report.add("MANI-001", str(error))
            return
        if not isinstance(values, dict):
            report.add("MANI-005", "the manifest is not an object")
            return
        members = Members(values, report)
        name = members.text("format")
        if name != "quire-document":
            if name is not None:
                report.add("MANI-002", f"the format is '{name}'")
            return
        self.is_document = True
        version = members.number("formatVersion", 1, (1 << 63) - 1)
        if version is None:
            return
        if version > 1:
            self.is_newer = True
            report.add("MANI-003", f"the format version is {version}")
            return
        self.judge_checksum(members, data)
        if not self.read_features(members):
            return
        self.read(members)
        self.judge()

    def read_features(self, members):
        """7.3.10; returns whether the document may be read."""
        for name, kind in (members.texts("features") or {}).items():
            if not is_feature(name):
                self.add("MANI-026", f"'{name}' is not a name of a feature")
            elif kind in ("ignore", "read"):
                self.add("MANI-027", f"the feature '{name}' is not known")
            else:
                self.is_newer = True
                self.add("MANI-003", f"the document uses '{name}'")
        return not self.is_newer

    def judge_checksum(self, members, data):
        """7.3.9"""
        text = members.text("checksum")
        if text is None:
            return
        found = re.search(rb'([^"]{0,8})"[ \t\n\r]*\}[ \t\n\r]*$', data)
        if found is None or found.group(1) != text.encode():
            self.add("MANI-024", "the checksum is not the last member, or not 8 digits")
        elif text != f"{crc32c(data[:found.start(1)]):08x}":
            self.add("MANI-024", "the checksum is another")

    def add(self, rule, message):
        self.report.add(rule, message)

    def read(self, members):
        self.uuid = members.uuid("uuid")
        members.text("title", False)
        members.date("created")
        members.texts("metadata")
        self.model = members.text("model")
        models = members.list("models")
        if models:
            self.models = [self.read_model(one) for one in models[0]]
            self.knows_models = models[2] and all(one["name"] is not None for one in self.models)
        stores = members.list("stores")
        self.stores = [self.read_store(one) for one in stores[0]] if stores else []
        self.log = members.text("log", False)
        self.read_heads(members)
        attachments = members.list("attachments", False)
        self.attachments = [self.read_attachment(one) for one in attachments[0]] if attachments else []
        self.read_versions(members)
        members.finish()
        if stores and stores[1]:
            self.add("MANI-017", "there is no store")

    def read_heads(self, members):
        """7.7.2"""
        names = members.elements("heads", lambda one: one.text("heads"))
        self.head = members.text("head", False)
        member = "head" if self.place is None else "heads"
        if members.values.get(member) is not None:
            self.add("MANI-028", f"'{member}' is in the manifest of another head")
        if self.place is not None:
            return
        folded = set()
        for name in names:
            if not is_head_name(name):
                self.add("MANI-028", f"'{name}' is not a name of a head")
            elif name.lower() in folded:
                self.add("MANI-028", f"two heads have the name '{name}'")
            else:
                self.heads.append(name)
                folded.add(name.lower())

    def read_model(self, members):
        found = {"name": members.name("name", 255), "file": members.file("file", "models"), "hashes": None}
        texts = members.texts("entities")
        if texts is not None:
            if all(re.fullmatch(r"[0-9A-Fa-f]{64}", text, re.ASCII) for text in texts.values()):
                found["hashes"] = {name: bytes.fromhex(text) for name, text in texts.items()}
            else:
                self.add("MANI-009", "a hash of an entity is none")
        members.finish()
        return found

    def read_store(self, members):
        found = {
            "name": members.name("name", 255), "type": members.text("type"), "file": members.file("file", "stores"),
            "uuid": members.uuid("uuid"), "configuration": members.text("configuration", False), "earlier": []}
        members.texts("options")
        found["commit"] = members.number("commit", 1, HIGHEST)
        earlier = members.list("earlier", False)
        for one in earlier[0] if earlier else []:
            found["earlier"].append({
                "file": one.file("file", "stores"), "commit": one.number("commit", 1, HIGHEST),
                "until": one.number("until", 1, HIGHEST), "model": one.text("model"), "uuid": one.uuid("uuid", False)})
            one.finish()
        members.finish()
        return found

    def read_attachment(self, members):
        found = {
            "name": members.name("name", 1024), "content": members.flag("content"), "digest": members.digest("digest"),
            "byteCount": members.number("byteCount", 0, (1 << 63) - 1), "since": members.number("since", 1, HIGHEST),
            "until": members.number("until", 1, HIGHEST, False)}
        members.finish()
        return found

    def read_versions(self, members):
        versions = members.list("versions")
        if not versions:
            return
        for one in versions[0]:
            number = one.number("number", 1, HIGHEST)
            found = {"saved": one.date("saved"), "model": one.text("model"), "author": one.text("author", False),
                     "message": one.text("message", False)}
            self.version_models += [found["model"]] if found["model"] is not None else []
            one.text("name", False)
            undone_to = one.number("undoneTo", 1, HIGHEST, False)
            merged = one.elements("merged", lambda other: other.number("merged", 1, HIGHEST))
            received = one.elements("received", lambda other: other.digest("received"))
            one.finish()
            if number is not None:
                if self.versions and self.versions[-1] >= number:
                    self.add("MANI-018", f"version {number} comes behind {self.versions[-1]}")
                if undone_to is not None and undone_to >= number:
                    self.add("MANI-018", f"version {number} returns to version {undone_to}")
                if len(set(merged)) < len(merged) or max(merged, default=0) >= number:
                    self.add("MANI-018", f"version {number} has merged {merged}")
                if len(set(received)) < len(received):
                    self.add("MANI-018", f"version {number} has received a version twice")
                self.details[number], self.merged[number], self.received[number] = found, merged, received
                self.versions.append(number)
        if versions[1]:
            self.add("MANI-018", "there is no version")
        if versions[2] and self.versions and len(self.versions) == len(versions[0]):
            self.newest = max(self.versions)

    # --- Rules between members

    def judge(self):
        names = [model["name"] for model in self.models if model["name"] is not None]
        for _ in range(len(names) - len(set(names))):
            self.add("MANI-013", "two models have one name")
        if self.knows_models:
            used = [self.model, *self.version_models] + [one["model"] for store in self.stores for one in store["earlier"]]
            for name in {name for name in used if name is not None} - set(names):
                self.add("MANI-016", f"there is no model '{name}'")
        files = [model["file"] for model in self.models]
        for store in self.stores:
            files += [store["file"], *(one["file"] for one in store["earlier"])]
        files = [file.lower() for file in files if file is not None]
        for _ in range(len(files) - len(set(files))):
            self.add("MANI-015", "a file is named twice")
        for member in ("name", "uuid"):
            values = [store[member] for store in self.stores if store[member] is not None]
            for _ in range(len(values) - len(set(values))):
                self.add("MANI-014", f"two stores have one {member}")
        for store in self.stores:
            if store["commit"] is not None:
                if self.newest is not None and store["commit"] > self.newest:
                    self.add("MANI-019", f"a store is at commit {store['commit']}")
                self.judge_earlier(store)
        if self.log is not None and all(store["name"] is not None and store["type"] is not None for store in self.stores):
            if not any(store["name"] == self.log and store["type"] in BLOCK_FILES for store in self.stores):
                self.add("MANI-025", "the log is not a store in a block file")
        self.judge_attachments()

    def log_store(self):
        return next((store for store in self.stores if store["name"] == self.log), None) if self.log is not None else None

    def judge_earlier(self, store):
        earlier = store["earlier"]
        if not earlier or any(one["commit"] is None or one["until"] is None for one in earlier):
            return
        since = 1
        for one in earlier:
            if one["commit"] < since or one["until"] <= one["commit"]:
                self.add("MANI-020", "an earlier file is not earlier")
            since = max(since, one["until"])
        if since > store["commit"]:
            self.add("MANI-020", "earlier files go on behind the store's commit")

    def judge_attachments(self):
        counts, ends = {}, {}
        for one in sorted(self.attachments, key=lambda one: one["since"] or 0):
            digest, count, since, until = one["digest"], one["byteCount"], one["since"], one["until"]
            if digest is not None and count is not None:
                if counts.get(digest, count) != count:
                    self.add("MANI-023", "two sizes of one digest")
                counts[digest] = count
            if since is None:
                continue
            if until is not None and since >= until:
                self.add("MANI-021", "an attachment ends before it begins")
            elif self.newest is not None and max(since, until or 0) > self.newest:
                self.add("MANI-021", "an attachment is of a version to come")
            elif one["name"] is not None and one["content"] is not None:
                key = one["name"], one["content"]
                if ends.get(key, 0) > since:
                    self.add("MANI-022", f"two attachments '{one['name']}'")
                ends[key] = HIGHEST * 2 if until is None else until
