"""The words of a text (15.1 to 15.3), which the entries of an index of words contain (4.5.6).

The classes of the scalars are those of spec/scalar-classes.txt. Foldings and compositions come from Python's own tables, which may be those
of an older version than Unicode 16.0: Python 3.11 has Unicode 14.0. So `DECOMPOSITIONS`, `ORDERS` and `FOLDINGS` add what the versions up to
16.0 added. A scalar that is newer than 16.0 has the class *other*, so a newer Python finds the same words.
"""

import functools
import os
import re
import unicodedata

CLASSES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scalar-classes.txt")
# A letter for each class of 15.1.2. `O` is the class other.
LETTERS = {"letter": "L", "Hebrew letter": "H", "digit": "N", "connector": "C", "apostrophe": "A", "letter dot": "D", "number separator": "S",
           "quotation mark": "Q", "mark": "M", "spacing mark": "P", "ignored": "I", "unspaced": "X"}
# Ordinary words and runs (15.3.2, 15.3.3), in the classes of a text without marks, spacing marks and ignored scalars.
WORDS = re.compile("[LHN](?:[LHN]|C+(?=[LHN])|(?<=[LH])[AD](?=[LH])|(?<=N)[AS](?=N)|(?<=H)Q(?=H))*|X+")

# The scalars below this one, and those that fold to one, lose their marks (15.2.1).
LOW = 0x510
DECOMPOSED, CHARACTER, WORD = 256, 32, 64

# What Unicode 15.0 to 16.0 added to 14.0: canonical decompositions, combining classes, and foldings.
DECOMPOSITIONS = {chr(scalar): "".join(map(chr, parts)) for scalar, parts in {
    0x105C9: (0x105D2, 0x307), 0x105E4: (0x105DA, 0x307), 0x11383: (0x11382, 0x113C9), 0x11385: (0x11384, 0x113BB),
    0x1138E: (0x1138B, 0x113C2), 0x11391: (0x11390, 0x113C9), 0x113C5: (0x113C2, 0x113C2), 0x113C7: (0x113C2, 0x113B8),
    0x113C8: (0x113C2, 0x113C9), 0x16121: (0x1611E, 0x1611E), 0x16122: (0x1611E, 0x16129), 0x16123: (0x1611E, 0x1611F),
    0x16124: (0x16129, 0x1611F), 0x16125: (0x1611E, 0x16120), 0x16126: (0x1611E, 0x1611E, 0x1611F), 0x16127: (0x1611E, 0x16129, 0x1611F),
    0x16128: (0x1611E, 0x1611E, 0x16120), 0x16D68: (0x16D67, 0x16D67), 0x16D69: (0x16D63, 0x16D67), 0x16D6A: (0x16D63, 0x16D67, 0x16D67)}.items()}
COMPOSITIONS = {parts: scalar for scalar, parts in DECOMPOSITIONS.items()}
ORDERS = {chr(scalar): order for order, scalars in {
    9: (0x113CE, 0x113CF, 0x113D0, 0x11F41, 0x11F42, 0x1612F), 220: (0x10EFD, 0x10EFE, 0x10EFF, 0x1E4EE, 0x1E5EF),
    230: (0x897, *range(0x10D69, 0x10D6E), 0x1E08F, 0x1E4EF, 0x1E5EE), 232: (0x1E4EC, 0x1E4ED)}.items() for scalar in scalars}
FOLDINGS = {chr(scalar): chr(folded) for scalar, folded in {
    0x1C89: 0x1C8A, 0xA7CB: 0x264, 0xA7CC: 0xA7CD, 0xA7DA: 0xA7DB, 0xA7DC: 0x19B,
    **{scalar: scalar + 0x20 for scalar in range(0x10D50, 0x10D66)}}.items()}


def read_classes():
    """The letter of the class of each scalar that is not of the class other."""
    found = {}
    with open(CLASSES, encoding="ascii") as file:
        for line in file:
            if line.startswith("#"):
                continue
            name, _, ranges = line.partition(": ")
            for span in ranges.split():
                first, _, last = span.partition("-")
                for scalar in range(int(first, 16), int(last or first, 16) + 1):
                    found[chr(scalar)] = LETTERS[name]
    return found


CLASS_OF = read_classes()


def words(data):
    """Yields the words of a text in order, as UTF-8. The position of a word (15.3.1) is the number of words before it."""
    # Each invalid byte becomes one surrogate, which is of the class other (15.1.2).
    text = bytes(data).decode("utf-8", "surrogateescape")
    classes = "".join(CLASS_OF.get(scalar, "O") for scalar in text)
    places = [place for place, one in enumerate(classes) if one not in "MPI"]
    ends = [*places[1:], len(text)]
    bare = "".join(classes[place] for place in places)
    for match in WORDS.finditer(bare):
        # The marks after a scalar belong to it.
        if bare[match.start()] != "X":
            yield cut(folded(text[places[match.start()]:ends[match.end() - 1]])).encode()
            continue
        characters = [folded(text[places[index]:ends[index]])[:CHARACTER] for index in range(match.start(), match.end())]
        for one, other in zip(characters, [*characters[1:], ""]):
            yield (one + other).encode()


def cut(word):
    """15.3.4"""
    if len(word) <= WORD:
        return word
    word = word[:WORD]
    while CLASS_OF[word[-1]] in "CADSQ":
        word = word[:-1]
    return word


# --- 15.2.1


def folded(text):
    """The folding of scalars of a word."""
    if text.isascii():
        return text.lower()[:DECOMPOSED]
    bare = "".join(plain(scalar) for scalar in text)
    result, base = [], ""
    for scalar in decomposed(bare):
        kind = CLASS_OF[scalar]
        if kind in "MP":
            # Only a letter, a digit or an unspaced scalar keeps marks.
            if CLASS_OF[base[-1]] in "LHNX" and (kind == "P" or ord(scalar) >= LOW and ord(base[-1]) >= LOW):
                result.append(scalar)
            continue
        base = decomposed_folding(scalar)
        result.append(base)
    return composed(decomposed("".join(result))[:DECOMPOSED])


def plain(scalar):
    return {"A": "'", "Q": "\u05F4", "I": ""}.get(CLASS_OF.get(scalar), scalar)


@functools.cache
def decomposed_folding(scalar):
    return decomposed(case_folded(scalar))


def case_folded(scalar):
    # The scripts of the Cherokee blocks: Unicode folds the small letters to the capital ones.
    if "\u13A0" <= scalar <= "\u13FF" or "\uAB70" <= scalar <= "\uABBF":
        return scalar.lower()
    return FOLDINGS.get(scalar) or scalar.casefold()


@functools.cache
def order(scalar):
    """The canonical combining class, which orders the marks after a scalar."""
    return ORDERS.get(scalar) or unicodedata.combining(scalar)


def decomposed(text):
    """NFD, with the marks in canonical order."""
    result, marks = [], []
    for scalar in "".join(DECOMPOSITIONS.get(one) or unicodedata.normalize("NFD", one) for one in text):
        if order(scalar):
            marks.append(scalar)
            continue
        result += [*sorted(marks, key=order), scalar]
        marks = []
    return "".join([*result, *sorted(marks, key=order)])


def composed(text):
    """NFC of a text that is in NFD."""
    result, starter, last = [], None, 0
    for scalar in text:
        own = order(scalar)
        if starter is not None and (last < own or last == 0 and starter == len(result) - 1):
            pair = pair_composed(result[starter], scalar)
            if pair:
                result[starter] = pair
                continue
        if own == 0:
            starter = len(result)
        last = own
        result.append(scalar)
    return "".join(result)


def pair_composed(one, other):
    """The scalar of which Unicode composes two; None if there is none."""
    found = COMPOSITIONS.get((DECOMPOSITIONS.get(one) or one) + other) or unicodedata.normalize("NFC", one + other)
    return found if len(found) == 1 else None
