#!/usr/bin/env python3
"""Writes Sources/FullText/ScalarTable+Classes.swift, ScalarTable+Foldings.swift and spec/scalar-classes.txt.

The facts come from the copy of ICU in the Swift toolchain (ICU 76, Unicode 16.0). Foundation contains this copy, so the
tables agree with the folding of the predicates. Run the script again only for a new version of the words: an index
contains words that were folded by these tables.

    python3 scripts/lib/word-tables.py /opt/swift/usr/lib/swift/linux/lib_FoundationICU.so
"""
import ctypes
import pathlib
import sys

icu = ctypes.CDLL(sys.argv[1])
ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "Sources/FullText"


def function(name, result, *arguments):
    found = getattr(icu, "swift_" + name)
    found.restype, found.argtypes = result, arguments
    return found


property_value = function("u_getIntPropertyValue", ctypes.c_int32, ctypes.c_int32, ctypes.c_int32)
has_property = function("u_hasBinaryProperty", ctypes.c_int8, ctypes.c_int32, ctypes.c_int32)
fold_case = function("u_strFoldCase", ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p,
                     ctypes.c_int32, ctypes.c_uint32, ctypes.c_void_p)
simple_lower = function("u_tolower", ctypes.c_int32, ctypes.c_int32)
nfc = function("unorm2_getNFCInstance", ctypes.c_void_p, ctypes.c_void_p)
decomposition = function("unorm2_getDecomposition", ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p,
                         ctypes.c_int32, ctypes.c_void_p)
raw_decomposition = function("unorm2_getRawDecomposition", ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32,
                             ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p)
compose_pair = function("unorm2_composePair", ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32)
version = function("u_getUnicodeVersion", None, ctypes.c_void_p)

status = ctypes.c_int32(0)
composer = nfc(ctypes.byref(status))
buffer = (ctypes.c_uint16 * 64)()

# Constants of uchar.h and uscript.h.
CATEGORY, COMBINING, LINE_BREAK, SCRIPT, WORD_BREAK = 0x1005, 0x1002, 0x1008, 0x100A, 0x1014
DEFAULT_IGNORABLE, GRAPHEME_EXTEND, IDEOGRAPHIC = 5, 11, 17
OTHER, A_LETTER, FORMAT, KATAKANA, NUMERIC, CONNECTOR, EXTEND, HEBREW, ZWJ = 0, 1, 2, 3, 6, 7, 9, 14, 21
COMPLEX_CONTEXT = 24
HAN, HIRAGANA, KATAKANA_SCRIPT, CHEROKEE = 17, 20, 22, 6
LETTERS_AND_NUMBERS = {1, 2, 3, 4, 5, 9, 10, 11}
CONNECTOR_PUNCTUATION = 22
LOW_LIMIT = 0x510

APOSTROPHES = {0x27, 0x2018, 0x2019, 0xFF07}
LETTER_DOTS = {0xB7, 0x387, 0x55F, 0x5F4, 0x2027}
NUMBER_SEPARATORS = {0x2C, 0x2E, 0x66C, 0x2024, 0xFE10, 0xFE50, 0xFE52, 0xFF0C, 0xFF0E}


def units(text):
    data = text.encode("utf-16-le")
    return (ctypes.c_uint16 * (len(data) // 2)).from_buffer_copy(data), len(data) // 2


def scalars(count):
    return [ord(c) for c in bytes(memoryview(buffer).cast("B")[: 2 * count]).decode("utf-16-le")]


def decomposed(scalar):
    status.value = 0
    count = decomposition(composer, scalar, buffer, 64, ctypes.byref(status))
    return [scalar] if count < 0 else scalars(count)


def case_folded(scalar):
    # Foundation gives Cherokee its small letters, and Unicode's folding its capital letters.
    if property_value(scalar, SCRIPT) == CHEROKEE:
        return [simple_lower(scalar)]
    source, count = units(chr(scalar))
    status.value = 0
    return scalars(fold_case(buffer, 64, source, count, 0, ctypes.byref(status)))


def scalar_class(c):
    """Returns the letter of a scalar's class; None for a scalar outside of words."""
    if c in APOSTROPHES: return "A"
    if c in LETTER_DOTS: return "D"
    if c in NUMBER_SEPARATORS: return "S"
    if c == 0x22: return "Q"
    if 0x1F3FB <= c <= 0x1F3FF: return "I"
    wb, category = property_value(c, WORD_BREAK), property_value(c, CATEGORY)
    if wb in (FORMAT, ZWJ): return "I"
    if wb == EXTEND:
        if has_property(c, DEFAULT_IGNORABLE): return "I"
        return "M" if has_property(c, GRAPHEME_EXTEND) else "P"
    if wb == NUMERIC: return "N"
    if wb == CONNECTOR: return "C" if category == CONNECTOR_PUNCTUATION else None
    if wb == KATAKANA: return "X"
    if category in LETTERS_AND_NUMBERS:
        if property_value(c, SCRIPT) in (HAN, HIRAGANA, KATAKANA_SCRIPT): return "X"
        if property_value(c, LINE_BREAK) == COMPLEX_CONTEXT or has_property(c, IDEOGRAPHIC): return "X"
    if has_property(c, DEFAULT_IGNORABLE) and wb == A_LETTER: return "I"  # Hangul fillers.
    if wb == HEBREW: return "H"
    if wb == A_LETTER: return "L"
    return None


def folding(c):
    """Returns the folding of a scalar within words, decomposed."""
    kind = classes[c]
    if kind == "A": return [0x27]
    if c == 0x22: return [0x5F4]
    result, base_is_low = [], False
    for part in decomposed(c):
        if classes.get(part) in ("M", "I"):
            if part < LOW_LIMIT or base_is_low or classes.get(part) == "I": continue
            result.append(part)
            continue
        for folded in case_folded(part):
            for one in decomposed(folded):
                if classes.get(one) == "M":
                    if one >= LOW_LIMIT and not base_is_low: result.append(one)
                    continue
                result.append(one)
                if classes.get(one) not in ("P",): base_is_low = one < LOW_LIMIT
    return result


ALL = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
classes = {}
for c in ALL:
    kind = scalar_class(c)
    if kind: classes[c] = kind

foldings = {}
for c, kind in classes.items():
    if kind == "I" or 0xAC00 <= c <= 0xD7A3: continue
    if kind == "M" and c < LOW_LIMIT: continue
    result = folding(c)
    assert result, f"{c:X} folds to nothing"
    if result != [c]: foldings[c] = result

combining = {c: property_value(c, COMBINING) for c, k in classes.items() if k in "MP" and c >= LOW_LIMIT}
combining = {c: v for c, v in combining.items() if v}
assert not any(property_value(c, COMBINING) for c, k in classes.items() if k not in "MPI")

pairs = {}
for c in classes:
    if 0xAC00 <= c <= 0xD7A3: continue
    status.value = 0
    count = raw_decomposition(composer, c, buffer, 64, ctypes.byref(status))
    if count < 0: continue
    parts = scalars(count)
    if len(parts) != 2 or compose_pair(composer, *parts) != c: continue
    if parts[0] < LOW_LIMIT or parts[1] < LOW_LIMIT: continue
    if folding(c) != decomposed(c): continue
    pairs[tuple(parts)] = c


def runs(items):
    """Yields (first, last) of consecutive numbers."""
    first = last = None
    for item in sorted(items):
        if last is not None and item == last + 1: last = item; continue
        if first is not None: yield first, last
        first = last = item
    if first is not None: yield first, last


def span(first, last): return f"{first:X}" if first == last else f"{first:X}-{last:X}"


def wrapped(words, indent="    "):
    lines, line = [], indent
    for word in words:
        if len(line) + len(word) + 1 > 118: lines.append(line.rstrip()); line = indent
        line += word + " "
    return lines + [line.rstrip()]


def literal(name, comment, body):
    return [f"  /// {line}" for line in comment] + [f'  static let {name} = """'] + body + ['    """', ""]


numbers = (ctypes.c_uint8 * 4)()
version(numbers)
UNICODE = f"{numbers[0]}.{numbers[1]}"
HEAD = [f"// scripts/lib/word-tables.py wrote this file from the properties of Unicode {UNICODE}. Do not edit it.", "",
        "extension ScalarTable {"]


def write(name, lines):
    while lines[-1] == "": lines.pop()
    (SOURCES / name).write_text("\n".join(HEAD + lines + ["}", ""]))


words = []
for kind in "LHNCADSQMPIX":
    words += [kind] + [span(*r) for r in runs(c for c, k in classes.items() if k == kind)]
order = []
for value in sorted(set(combining.values())):
    order += [f"={value}"] + [span(*r) for r in runs(c for c, v in combining.items() if v == value)]
write("ScalarTable+Classes.swift",
      literal("classText", ["The scalars of words: the letter of a class (``ScalarClass``), and then its scalars."],
              wrapped(words))
      + literal("orderText", ["The kept marks: a combining class after `=`, and then its scalars."], wrapped(order)))

# Three forms: `A-B+D` adds D to each scalar, `A/B+D` to every second one, and `A>B,C` replaces one scalar.
words, done = [], set()
for c in sorted(foldings):
    if c in done: continue
    result = foldings[c]
    best = (c, 1)
    if len(result) == 1:
        delta = result[0] - c
        for step in (1, 2):
            last = c
            while foldings.get(last + step) == [last + step + delta] and last + step not in done: last += step
            if last > c + step and (last - c) // step > (best[0] - c) // best[1]: best = (last, step)
    last, step = best
    done.update(range(c, last + 1, step))
    if last > c:
        words.append(f"{c:X}{'-' if step == 1 else '/'}{last:X}{'+' if delta > 0 else '~'}{abs(delta):X}")
    else:
        words.append(f"{c:X}>" + ",".join(f"{s:X}" for s in result))
composed = [f"{a:X},{b:X}>{c:X}" for (a, b), c in sorted(pairs.items())]
write("ScalarTable+Foldings.swift",
      literal("foldingText", [
          "The foldings: `A-B+D` adds D to each scalar from A to B, `A/B+D` to every second one (`~` subtracts), and",
          "`A>B,C` replaces A by the scalars after the sign. A scalar without an entry folds to itself."], wrapped(words))
      + literal("compositionText", ["The pairs of kept scalars that Unicode composes to one scalar."], wrapped(composed)))
NAMES = {"L": "letter", "H": "Hebrew letter", "N": "digit", "C": "connector", "A": "apostrophe", "D": "letter dot",
         "S": "number separator", "Q": "quotation mark", "M": "mark", "P": "spacing mark", "I": "ignored", "X": "unspaced"}
lines = [f"# The table of clause 15.1.2 for Unicode {UNICODE}: a class and its scalars, in hexadecimal. All other scalars are of the",
         "# class other. scripts/lib/word-tables.py writes this file."]
for kind, name in NAMES.items():
    lines += wrapped([span(*r) for r in runs(c for c, k in classes.items() if k == kind)], f"{name}: ")
(ROOT / "spec/scalar-classes.txt").write_text("\n".join([*lines, ""]))
print("Unicode", UNICODE, len(classes), "scalars,", len(foldings), "foldings,", len(pairs), "pairs, longest",
      max(map(len, foldings.values())))
print({k: sum(1 for v in classes.values() if v == k) for k in "LHNCADSQMPIX"})
