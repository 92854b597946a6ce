#!/usr/bin/env python3
"""Judges the metadata and the model of a block file's newest commit as clauses 4.6.1, 4.6.2 and 4.6.5 say.

    metadata.py FILE

Output: a line for each rule that is broken, by its identifier in `vectors/rules`. The exit code is 1 if there is one. The rules
are META-001 to META-004, META-006 to META-008, MODL-001 and MODL-002. The program does not look at rows.
"""

import plistlib
import sys
import uuid

import blockfile
import model


def judge(data):
    """Returns the identifiers of the rules that the newest commit's metadata and model break."""
    file = blockfile.File(data)
    broken, hashes = set(), None
    try:
        hashes = model.Model(file.section(64)).hashes()
    except model.Refused as refused:
        broken.add("MODL-002" if refused.clause.startswith("2.2.") else "MODL-001")
    return broken | judge_metadata(file.section(48), data[16:32], hashes)


def judge_metadata(section, header_uuid, hashes):
    """Judges a property list against the header's UUID and the model's hashes, which are None without a model."""
    try:
        values = plistlib.loads(section, fmt=plistlib.FMT_BINARY)
    except Exception:  # The library raises many kinds of errors for bytes that are no property list.
        return {"META-001"}
    if not isinstance(values, dict):
        return {"META-001"}
    broken = set()
    stored_uuid = as_uuid(values.get("NSStoreUUID"))
    if stored_uuid is None:
        broken.add("META-002")
    elif stored_uuid != header_uuid:
        broken.add("META-003")
    if not isinstance(values.get("NSStoreType"), str):
        broken.add("META-004")
    stored = values.get("NSStoreModelVersionHashes")
    if not isinstance(stored, dict) or not all(isinstance(one, bytes) and len(one) == 32 for one in stored.values()):
        return broken | {"META-006"}
    if hashes is not None and stored != hashes:
        broken.add("META-007")
    digest = values.get("NSStoreModelVersionHashesDigest")
    if digest != model.digests_of(stored)[0]:
        broken.add("META-008")
    return broken


def as_uuid(value):
    """Returns the 16 bytes of a UUID in 36 characters, in either case."""
    if not isinstance(value, str) or [place for place, one in enumerate(value) if one == "-"] != [8, 13, 18, 23]:
        return None
    digits = value.replace("-", "")
    if len(digits) != 32 or not all(one in "0123456789abcdefABCDEF" for one in digits):
        return None
    return uuid.UUID(hex=digits).bytes


def main():
    with open(sys.argv[1], "rb") as source:
        broken = judge(source.read())
    for rule in sorted(broken):
        print(rule)
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    try:
        main()
    except blockfile.Damage as damage:
        sys.exit(f"damaged: {damage}")
