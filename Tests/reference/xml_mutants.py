"""Changes XML stores."""

import re

TEXTS = [
    "", "0", "1", "-1", "2147483648", "32768", "1e5", "1.5", "inf", "+inf", "-inf", "nan", "nan(7ff8000000000001)",
    "nan(0000000000000001)", "nan(7fc00001)", "NaN", "1-2", " 7 ", "\\u3c00", "\\u3dd8", "\\u3dd800de", "\\", "z1", "z2 z3", "z1 z1",
    "z0", "z01", "z281474976710656", "é", "AAEC", "AAE", "&amp;", "6FB9DF54-A60E-4A15-8C3B-1D2E3F405162", "134481920", "150994944", "true"]
NAMED_ENCODINGS = [
    "UTF-8", "utf-8", "UTF-16", "UTF-16LE", "utf-16be", "ISO-8859-1", "iso-8859-1", "US-ASCII", "ascii", "latin1", "windows-1252",
    "ISO-8859-15", "UTF-32", "EBCDIC-CP-US", "KOI8-R", "utf8", "", "x"]
NAMES = ["name", "NAME", "title", "TITLE", "pages", "author", "books", "tags", "notes", "text", "stops", "trip", "Unknown"]


def mutant(source, data):
    """Returns the document with one or two changes of its text."""
    text = data.decode("utf-8")
    if source.random() < 0.05:
        return in_another_encoding(source, text)
    for _ in range(source.choice([1, 1, 2])):
        text = changed(source, text)
    return text.encode("utf-8")


def in_another_encoding(source, text):
    """Returns the document in an encoding, with a declaration that names the same one or another (5.2.1)."""
    name = source.choice(NAMED_ENCODINGS)
    text = re.sub(r"^<\?xml[^>]*>\s*", "", text)
    declaration = f'<?xml version="1.0" encoding="{name}"?>\n' if source.random() < 0.8 else ""
    mark = source.choice(["", "", "\ufeff"])
    # A text that is declared as US-ASCII and has bytes above 127 may end before its root: whether it is a store is open then.
    others = ["ascii", "utf-16-le"] if name.upper() in ("US-ASCII", "ASCII") else ["utf-8", "utf-16-le", "utf-16-be", "latin-1", name]
    encoding = source.choice(others)
    try:
        return (mark + declaration + text).encode(encoding, "replace")
    except LookupError:
        return (declaration + text).encode("utf-8")


def changed(source, text):
    kind = source.randrange(8)
    if kind < 3:
        return replaced(source, text, r'(?<=")[^"<>]*(?=")', TEXTS + NAMES)
    if kind == 3:
        return replaced(source, text, r"(?<=>)[^<>]*(?=</)", TEXTS)
    if kind == 4:
        return replaced(source, text, r"<(attribute|relationship|object|version|UUID|key|string)\b[^<]*(</\1>|/>)", [""])
    if kind == 5:
        found = source.choice(list(re.finditer(r"<(attribute|relationship|version|UUID)\b[^<]*(</\1>|/>)", text)) or [None])
        return text if found is None else text[:found.end()] + found.group(0) + text[found.end():]
    if kind == 6:
        return replaced(source, text, r"\b(attribute|relationship|object|type|name|idrefs|id|metadata|plist|dict|key)\b", [
            "attribute", "relationship", "object", "other", "name", "id", "type"])
    place = source.randrange(len(text))
    return text[:place] + source.choice(["", "<", ">", "&", '"', "x", " ", "<!-- -->", "<?a?>"]) + text[place + source.randrange(2):]


def replaced(source, text, pattern, words):
    found = list(re.finditer(pattern, text))
    if not found:
        return text
    place = source.choice(found)
    return text[:place.start()] + source.choice(words) + text[place.end():]
