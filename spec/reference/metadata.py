"""The metadata of a block file (4.6.1, 4.6.5)."""

import re

import plist
from findings import Refused
from model import digests_of


def judge(data, header_uuid, is_compressed, report):
    """Reports the rules that metadata break by themselves, and returns them; None where they can't be read."""
    try:
        values = plist.read(data)
    except Refused as refused:
        report.add("META-001", str(refused))
        return None
    if not isinstance(values, dict):
        report.add("META-001", "the metadata are not a dictionary")
        return None
    uuid = as_uuid(values.get("NSStoreUUID"))
    if uuid is None:
        report.add("META-002", "there is no UUID")
    elif uuid != header_uuid:
        report.add("META-003", "the header has another UUID")
    kind = values.get("NSStoreType")
    if not is_text(kind):
        report.add("META-004", "there is no type")
    elif kind != ("CompressedBinary" if is_compressed else "Binary"):
        report.add("META-005", f"the type is '{kind}'")
    judge_lanes(values, report)
    hashes = hashes_of(values)
    if hashes is None:
        report.add("META-006", "there are no hashes of 32 bytes")
    elif values.get("NSStoreModelVersionHashesDigest") != digests_of(hashes)[0]:
        report.add("META-008", "the digest is another")
    return values


def of_commit(data, name, number):
    """What the metadata contain under the number of a commit in a dictionary (4.6.1); None if they do not contain it."""
    try:
        values = plist.read(data)
    except Refused:
        return None
    entries = values.get(name) if isinstance(values, dict) else None
    return entries.get(str(number)) if isinstance(entries, dict) else None


def version_before(data, number):
    """7.4.11: the number of the version before a commit."""
    before = of_commit(data, "QuireVersionBefore", number)
    return before if type(before) is int and before < 1 << 63 else None


def message(data, number):
    text = of_commit(data, "QuireCommitMessage", number)
    return text if is_text(text) else None


HIGHEST_KEY = (1 << 48) - 1


class Lanes:
    """The lanes of object numbers (4.4.6): the replicas by the starts, and the lane in which the file counts."""

    def __init__(self, values):
        entries = values.get("QuireLanes")
        entries = entries if isinstance(entries, dict) else {}
        self.replicas = {int(start): replica for start, replica in entries.items()
                         if is_start(start) and is_replica(replica)}
        lane = values.get("QuireLane")
        self.current = 0 if lane is None else int(lane) if is_start(lane) and int(lane) in self.replicas else None

    def counted(self):
        """The lowest number of the lane in which the file counts, and the lowest number behind the lane."""
        if self.current is None:
            return 0, 0
        return self.current + 1, min((start for start in self.replicas if start > self.current), default=HIGHEST_KEY + 1)

    def first_free(self, next_key):
        """The lowest free number of an entity with this `next_key` (4.4.3); None stands for no `next_key`."""
        first, end = self.counted()
        return next_key if next_key is not None and first <= next_key <= end else first


def is_start(text):
    if not is_text(text) or not re.fullmatch("[1-9][0-9]{0,14}", text):
        return False
    return 1 << 47 <= int(text) < (1 << 48) - (1 << 32) and int(text) % 65536 == 0


def is_replica(text):
    return is_text(text) and re.fullmatch("[0-9A-Fa-f]{16}", text) is not None


def judge_lanes(values, report):
    """4.4.6"""
    entries = values.get("QuireLanes", {})
    if not isinstance(entries, dict):
        report.add("META-010", "'QuireLanes' is not a dictionary")
    elif not all(is_start(start) and is_replica(replica) for start, replica in entries.items()):
        report.add("META-010", "a lane has no start or no replica")
    elif Lanes(values).current is None:
        report.add("META-010", "'QuireLane' names no lane of 'QuireLanes'")


def judge_hashes(values, model, report):
    """4.6.5"""
    hashes = hashes_of(values)
    if hashes is not None and hashes != model.hashes():
        report.add("META-007", "the hashes are others than the model's")
    identifiers = values.get("NSStoreModelVersionIdentifiers")
    if identifiers != model.identifiers:
        report.add("META-009", f"the version identifiers are {identifiers}")


def judge_oddities(model, report):
    """2.2.7"""
    for words in model.oddities:
        report.add("MODL-012", words)


def is_text(value):
    return isinstance(value, str)


def hashes_of(values):
    hashes = values.get("NSStoreModelVersionHashes")
    if not isinstance(hashes, dict) or not all(isinstance(one, bytes) and len(one) == 32 for one in hashes.values()):
        return None
    return hashes


def as_uuid(value):
    """Returns the 16 bytes of a UUID in 36 characters, in either case."""
    if not is_text(value) or not re.fullmatch(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", value):
        return None
    return bytes.fromhex(value.replace("-", ""))
