"""Changes fields of a block file and computes the checksums above them anew: no run may end by a fault of its own."""

import os
import struct
import sys

import stores
from tool import ROOT

sys.path.insert(0, os.path.join(ROOT, "spec/reference"))
from findings import crc32c  # noqa: E402

INTERESTING = [0, 1, 0x7F, 0x80, 0xFF]


def sections(data):
    """Returns the place of the trailer, the place of the record, and each plain section: offset, size, place of its checksum."""
    trailer = len(data) - 48
    size, = struct.unpack_from("<I", data, trailer + 24)
    record = trailer - size & ~7
    parts = []
    for name, place in (("metadata", 48), ("model", 64), ("schema", 80)):
        offset, count = struct.unpack_from("<QI", data, record + place)
        parts.append((name, offset, count, record + place + 12))
    keys, segments = struct.unpack_from("<II", data, record + 104)
    place, blocks = record + 112 + 16 * keys, []
    for _ in range(segments):
        entries, pages = struct.unpack_from("<II", data, place + 24)
        place += 32
        for index in range(entries):
            blocks.append(struct.unpack_from("<QI", data, place + 56 * index))
        place += 56 * entries + 32 * pages
    return trailer, record, size, parts, blocks


def put(data, form, place, value):
    struct.pack_into(form, data, place, value)


def reseal_block(data, offset, count):
    """Computes the checksums of a plain block's columns and header anew, as far as its directory can be followed."""
    try:
        block = bytes(data[offset:offset + count])
        columns, = struct.unpack_from("<H", block, 18)
        for index in range(columns):
            place = directory_place(block, index)
            chunk, body_count = struct.unpack_from("<II", block, place + 8)
            if body_count and body_count <= 4096 and chunk + body_count <= count:
                put(data, "<I", offset + place + 16, crc32c(block[chunk:chunk + body_count]))
        header, = struct.unpack_from("<I", data, offset + 4)
        head = bytes(data[offset:offset + header])
        put(data, "<I", offset + 12, crc32c(head[:12] + bytes(4) + head[16:]))
    except (struct.error, IndexError):
        pass


def directory_place(block, index):
    place = 48
    for _ in range(index):
        encoding, flags = block[place + 3], block[place + 6]
        place += 24
        if not flags & 2:
            place += 8 * ((encoding in (1, 2)) + (encoding in (1, 2) and bool(flags & 4)) + 2 * (encoding in (5, 6)))
    return place


def mutant(random, source):
    data = bytearray(source)
    trailer, record, size, parts, blocks = sections(data)
    kind = random.choice(["record", "section", "section", "block", "block", "trailer", "header"])
    if kind == "section":
        name, offset, count, _ = random.choice(parts)
        kind = name
    elif kind == "block" and blocks:
        offset, count = random.choice(blocks)
    else:
        offset, count = {"trailer": (trailer, 36), "header": (8, 32)}.get(kind, (record, size))
    place = offset + random.randrange(min(count, 200) if kind == "block" and random.random() < 0.6 else count)
    data[place] = random.choice(INTERESTING + [random.randrange(256), data[place] ^ 1 << random.randrange(8)])
    if kind == "block":
        reseal_block(data, offset, count)
    for _, offset, count, checksum in parts:
        put(data, "<I", checksum, crc32c(bytes(data[offset:offset + count])))
    put(data, "<I", trailer + 28, crc32c(bytes(data[record:record + size])))
    start, = struct.unpack_from("<Q", data, record + 32)
    if not data[trailer + 4] & 1 and start < trailer:
        put(data, "<I", trailer + 32, crc32c(bytes(data[start:trailer])))
    put(data, "<I", trailer + 36, crc32c(bytes(data[trailer:trailer + 36])))
    put(data, "<I", 76, crc32c(bytes(data[:40]) + bytes(36)))
    return bytes(data), f"{kind} at {place}"


def case(part, source):
    data, what = mutant(part.random, source)
    folder = part.place()
    path = os.path.join(folder, "resealed.store")
    with open(path, "wb") as file:
        file.write(data)
    valid = part.tool.run("validate", path)
    if part.note_fault(valid, folder):
        return
    for arguments in (["info", path], ["count", path, "Trip"], ["export", path, "--format", "jsonl"]):
        outcome = part.tool.run(*arguments)
        fault = part.note_fault(outcome, folder)
        if not fault and valid.code == 0 and outcome.code != 0:
            part.find(f"validate says valid, {arguments[0]} ends with exit code {outcome.code} ({what})", arguments, folder)


def run(part, made, workers):
    path, _ = stores.place_copy(part, made["plain"])
    part.tool.must("vacuum", path)
    source = open(path, "rb").read()
    workers(part, lambda: case(part, source))
