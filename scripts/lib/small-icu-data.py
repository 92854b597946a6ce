"""Writes the part of ICU's data that Quire uses.

Foundation's static library contains all of ICU's data, 34 MB, in one object file. The release needs regular expressions,
the order of texts in every language, and dates and numbers in a fixed form. It does not need dates, numbers and names
in 200 languages, converters of old encodings, or dictionaries of languages without spaces.

Usage: small-icu-data.py ICU-DATA OUTPUT. ICU-DATA is the content of an object file's section, which `objcopy -O binary`
writes. The output has the same form: a header, a table of contents that is sorted by name, and the items.
"""

import re
import struct
import sys

# These folders contain names and forms of one language in each file, and so does the data outside folders. Only the
# shared files and English are kept. The folder `coll`, which contains the orders of languages, is kept as it is.
LANGUAGE_FOLDERS = {"curr", "lang", "rbnf", "region", "unit", "zone"}
LANGUAGE = re.compile(r"[a-z]{2,3}(_[A-Z][a-z]{3})?(_[A-Z0-9]{2,3})?(_[A-Z]+)?")
KEPT_LANGUAGES = {"root", "pool", "en", "en_001", "en_US", "en_US_POSIX", "res_index", "supplementalData", "tzdbNames"}


def is_kept(name):
    """Returns whether the item with a name such as `icudt76l/coll/de.res` is kept."""
    *folders, file = name.split("/")[1:]
    stem, _, kind = file.rpartition(".")
    if folders and folders[0] in LANGUAGE_FOLDERS:
        return stem in KEPT_LANGUAGES
    if not folders and kind == "res" and LANGUAGE.fullmatch(stem):
        return stem in KEPT_LANGUAGES
    # Transliteration, and places where a line may end.
    if folders == ["translit"] or kind == "brk" and stem.startswith("line"):
        return False
    # Converters, dictionaries, profiles of stringprep, and look-alike characters.
    return kind not in {"cnv", "dict", "spp", "cfu"}


def read_items(data, start):
    """Returns the names and the contents in the table of contents at an offset. Offsets in it are relative to it."""
    (count,) = struct.unpack_from("<I", data, start)
    entries = [struct.unpack_from("<II", data, start + 4 + 8 * index) for index in range(count)]
    ends = [content for _, content in entries[1:]] + [len(data) - start]
    items = []
    for (name, content), end in zip(entries, ends):
        last = data.index(0, start + name)
        items.append((data[start + name : last].decode("ascii"), data[start + content : start + end]))
    return items


def write_items(header, items):
    """Returns data of ICU with a header and items. Every item begins at a multiple of 16, as ICU requires."""
    names = b""
    name_offsets = []
    for name, _ in items:
        name_offsets.append(4 + 8 * len(items) + len(names))
        names += name.encode("ascii") + b"\0"
    position = 4 + 8 * len(items) + len(names)
    entries = b""
    contents = []
    for name_offset, (_, content) in zip(name_offsets, items):
        padding = bytes(-position % 16)
        entries += struct.pack("<II", name_offset, position + len(padding))
        contents += [padding, content]
        position += len(padding) + len(content)
    return header + struct.pack("<I", len(items)) + entries + names + b"".join(contents)


def main():
    source, output = sys.argv[1:]
    with open(source, "rb") as file:
        data = file.read()
    header_size, mark = struct.unpack_from("<HH", data, 0)
    # The mark, and "CmnD", the kind of the data.
    if mark != 0x27DA or data[12:16] != b"CmnD" or header_size % 16 != 0:
        sys.exit(f"error: {source} does not contain data of ICU in a form that is known.")
    items = read_items(data, header_size)
    kept = [item for item in items if is_kept(item[0])]
    with open(output, "wb") as file:
        file.write(write_items(data[:header_size], kept))


main()
