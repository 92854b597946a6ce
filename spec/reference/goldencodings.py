"""Gold files with every encoding of 3.4, of every kind, in its largest and its smallest form."""

import struct

from blockwriter import Plan
from gold import attribute, entity, feature, new_file, xml_model
from filewriter import Segment
from schemawriter import Plan as Schema

INTEGERS = {16: "Integer 16", 32: "Integer 32", 64: "Integer 64"}


def double(number):
    return struct.unpack("<Q", struct.pack("<d", number))[0]


def single(number):
    return struct.unpack("<I", struct.pack("<f", number))[0]


def one_entity(words, columns):
    """A file with one block of the entity `Row`; columns are (name, type, values, plan)."""
    schema = Schema(xml_model(entity("Row", *(attribute(name, kind) for name, kind, _, _ in columns))), {"Row": 7}, first=3, stride=5)
    file = new_file(schema, words)
    file.write_model()
    count = len(columns[0][2])
    keys = [3 * row + 1 + row * row for row in range(count)]
    rows = {key: {name: values[row] for name, _, values, _ in columns} for row, key in enumerate(keys)}
    block = file.put("Row", rows, {name: plan for name, _, _, plan in columns})
    file.next_keys[7] = keys[-1] + 1
    file.commit([Segment([block])])
    return file.bytes(), file.lines()


@feature("encodings-of-booleans", "block file", "Booleans as bits and as one number for all rows, with and without bitmaps; UUIDs")
def booleans():
    mixed = [True, None, False, None, True, True, False, True, None, False, True]
    uuids = [bytes(range(row, row + 16)) for row in range(11)]
    return one_entity("booleans", [
        ("all_true", "Boolean", [True] * 11, Plan(1)), ("all_false", "Boolean", [False] * 11, Plan(1)),
        ("bits", "Boolean", [row % 3 == 0 for row in range(11)], Plan(4)), ("mixed", "Boolean", mixed, Plan(4)),
        ("true_or_none", "Boolean", [None if row == 4 else True for row in range(11)], Plan(1)),
        ("none", "Boolean", [None] * 11, None), ("full_bitmap", "Boolean", [True] * 11, Plan(4, keeps_presence=True)),
        ("empty_bitmap", "Boolean", [None] * 11, Plan(4, keeps_presence=True)), ("zeros", "Boolean", mixed, Plan(4, extra_zeros=True)),
        ("id", "UUID", uuids, Plan(7)), ("some_id", "UUID", [None, *uuids[1:]], Plan(7)), ("no_id", "UUID", [None] * 11, None)])


@feature("encodings-of-integers", "block file", "Integers of each width, level and sloped, also with negative steps and beyond 2^63")
def integers():
    columns = []
    for bits, kind in INTEGERS.items():
        least, most = -1 << bits - 1, (1 << bits - 1) - 1
        ends = [least, most, 0, -1, 1, least + 1, most - 1]
        near = [most - 255 + 40 * row for row in range(7)]
        slope = [100 - 9 * row for row in range(7)]
        columns += [
            (f"i{bits}_same", kind, [-5] * 7, Plan(1, 0)), (f"i{bits}_none", kind, [None] * 7, None),
            (f"i{bits}_narrow", kind, near, Plan(1, 1)), (f"i{bits}_wide", kind, ends, Plan(1, 8)),
            (f"i{bits}_half", kind, [None if row == 2 else one for row, one in enumerate(near)], Plan(1, 2)),
            (f"i{bits}_four", kind, [-3, 0, 1, 32000, 5, 6, 7], Plan(1, 4)),
            (f"i{bits}_slope", kind, slope, Plan(1, 0, step=-9)), (f"i{bits}_level_slope", kind, near, Plan(1, step=0)),
            (f"i{bits}_rough_slope", kind, [one + row % 2 for row, one in enumerate(slope)], Plan(1, 1, step=-9, keeps_presence=True))]
    # The base is the highest number, and each sum goes round 2^64.
    columns.append(("i64_round", "Integer 64", [(1 << 63) - 1 - row for row in range(7)], Plan(1, 8, base=(1 << 63) - 1, step=1)))
    return one_entity("integers", columns)


@feature("encodings-of-reals", "block file", "Reals and dates as their bits and scaled by 1 to 10,000; infinities, zeros, several not-a-numbers")
def reals():
    columns = []
    odd = [0.1, -0.0, float("inf"), float("-inf"), 5e-324, 1.7976931348623157e308, 3.141592653589793]
    for kind, pack in (("Float", single), ("Double", double), ("Date", double)):
        name = kind.lower()
        # The bits of a not-a-number are kept (3.4.4).
        bits = [0x7FC00001, 0xFFC00000] if kind == "Float" else [0x7FF8000000000001, 0xFFF8000000000000]
        plain = [pack(one if kind != "Float" or abs(one) in (0.1, 0.0, float("inf")) else 2.5) for one in odd]
        columns.append((f"{name}_bits", kind, [*plain[:5], *bits], Plan(3)))
        columns.append((f"{name}_bits_or_none", kind, [None, *plain[1:]], Plan(3, keeps_presence=True)))
        for scale in range(5):
            values = [pack((13 * row - 30) / 10 ** scale) for row in range(7)]
            columns.append((f"{name}_scale_{scale}", kind, values, Plan(2, scale=scale)))
        values = [pack((1000 - 7 * row) / 100) for row in range(7)]
        columns += [
            (f"{name}_slope", kind, values, Plan(2, 0, step=-7, scale=2)), (f"{name}_wide", kind, values, Plan(2, 8, scale=2)),
            (f"{name}_same", kind, [pack(0.5)] * 7, Plan(2, 0, scale=1)), (f"{name}_none", kind, [None] * 7, None)]
    return one_entity("reals", columns)


@feature("encodings-of-decimals", "block file", "Decimals as bytes, in a dictionary and scaled by up to 10^18; the highest and the lowest ones")
def decimals():
    ends = [(1, 127), ((1 << 128) - 1, 0), (-1, -128), (0, 0), "NaN", (-123456789, -4), (10, 127)]
    money = [(1999, -2), (5, -1), (-3, 0), None, (12, 0), (1, 2), (0, 0)]
    return one_entity("decimals", [
        ("bytes", "Decimal", ends, Plan(5)), ("bytes_wide", "Decimal", ends, Plan(5, offset_width=8)),
        ("dictionary", "Decimal", [ends[row % 3] for row in range(7)], Plan(6)),
        ("scaled_0", "Decimal", [(row - 3, 0) for row in range(7)], Plan(2, scale=0)),
        ("scaled_2", "Decimal", money, Plan(2, scale=2)), ("scaled_18", "Decimal", [(row * 7 + 1, -18) for row in range(7)], Plan(2, 8, scale=18)),
        ("slope", "Decimal", [(2 * row + 1, -1) for row in range(7)], Plan(2, 0, step=2, scale=1)),
        ("mixed", "Decimal", [None, *ends[:6]], Plan(5, keeps_presence=True)), ("none", "Decimal", [None] * 7, None)])


@feature("encodings-of-bytes", "block file", "Texts, URIs and bytes with offsets of each width, level and sloped; empty ones; a full bitmap")
def texts():
    columns = []
    for kind in ("String", "URI", "Binary"):
        name = kind.lower()
        words = [b"urn:x:" + b"y" * row for row in (0, 1, 5, 2, 2, 7, 40, 3, 1)]
        # A sloped list of offsets has no data if all values have one length.
        equal = [b"urn:%03d" % row for row in range(9)]
        columns += [(f"{name}_{width}", kind, words, Plan(5, offset_width=width)) for width in (1, 2, 4, 8)]
        columns += [
            (f"{name}_equal", kind, equal, Plan(5, offset_width=0, offset_step=7)),
            (f"{name}_slope", kind, words, Plan(5, offset_width=8, offset_step=5)),
            (f"{name}_base", kind, words, Plan(5, offset_width=8, offset_base=-3, offset_step=1)),
            (f"{name}_some", kind, [None if row % 4 == 1 else one for row, one in enumerate(words)], Plan(5)),
            (f"{name}_none", kind, [None] * 9, None), (f"{name}_full", kind, words, Plan(5, keeps_presence=True))]
    texts = [one.encode() for one in ("", "a\0b", "\u00e9vora", "\U0001f600", "e\u0301", "\r\n", "\u2028", "\ufeff", "\uffff")]
    columns += [("odd", "String", texts, Plan(5)), ("empty", "String", [b""] * 9, Plan(5)),
                ("empty_zeros", "Binary", [b""] * 9, Plan(5, offset_width=1, extra_zeros=True))]
    return one_entity("texts", columns)


@feature("dictionaries", "block file", "Dictionaries of one entry, of an entry for each row, and with codes of 0, 1, 2 and 4 bytes")
def dictionaries():
    columns = []
    for kind in ("String", "URI", "Binary"):
        name = kind.lower()
        few = [b"urn:%d" % (row % 3) for row in range(13)]
        columns += [(f"{name}_{width}", kind, few, Plan(6, width, offset_width=2)) for width in (1, 2, 4)]
        columns += [
            (f"{name}_one", kind, [b"urn:same"] * 13, Plan(6, 0)), (f"{name}_all", kind, [b"urn:%02d" % row for row in range(13)], Plan(6, 4)),
            (f"{name}_slope", kind, few, Plan(6, offset_width=0, offset_step=5)),
            (f"{name}_some", kind, [None if row in (0, 12) else one for row, one in enumerate(few)], Plan(6))]
    return one_entity("dictionaries", columns)


@feature("one-row", "block file", "The smallest blocks: one row with one value, and one row with nothing but its key")
def one_row():
    schema = Schema(xml_model(entity("A", attribute("x", "Integer 16")), entity("B")), {"A": 65535, "B": 1}, first=61439)
    file = new_file(schema, "one row")
    file.write_model()
    blocks = [file.put("B", {1: {}}), file.put("A", {(1 << 48) - 1: {"x": 0}})]
    file.next_keys = {1: 2, 65535: 1 << 48}
    file.commit([Segment(blocks)])
    return file.bytes(), file.lines()


@feature("largest-block", "block file", "A block of 65,536 rows, whose columns have tables of checksums or no bytes at all")
def largest_block():
    columns = [attribute("number", "Integer 64"), attribute("noise", "Integer 16"), attribute("flag", "Boolean"), attribute("word", "String")]
    file = new_file(Schema(xml_model(entity("Row", *columns)), {"Row": 2}), "largest")
    file.write_model()
    rows = {key: {"number": 5 * key, "noise": key * key % 251, "flag": key % 2 == 0, "word": (b"even", b"odd")[key % 2]}
            for key in range(1, 65537)}
    plans = {"number": Plan(1, 0, step=5), "noise": Plan(1, 1), "flag": Plan(4), "word": Plan(6)}
    block = file.put("Row", rows, plans, key_plan=Plan(1, 0, step=1))
    file.next_keys[2] = 65537
    file.commit([Segment([block])], is_settled=True)
    return file.bytes(), file.lines()
