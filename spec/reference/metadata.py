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
        report.add("META-001", "the metadata are no dictionary")
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
    hashes = hashes_of(values)
    if hashes is None:
        report.add("META-006", "there are no hashes of 32 bytes")
    elif values.get("NSStoreModelVersionHashesDigest") != digests_of(hashes)[0]:
        report.add("META-008", "the digest is another")
    return values


def version_before(data, number):
    """7.4.11: the number of the version before a commit; None if the metadata do not contain it."""
    try:
        values = plist.read(data)
    except Refused:
        return None
    entries = values.get("QuireVersionBefore") if isinstance(values, dict) else None
    before = entries.get(str(number)) if isinstance(entries, dict) else None
    return before if type(before) is int and before < 1 << 63 else None


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
