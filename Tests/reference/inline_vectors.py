"""Runs the reader in spec/reference on the vectors of chapter 4: block files, and changed ones (4.9).

    python3 Tests/reference/inline_vectors.py
"""

import os
import re
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "spec/reference"))
import contents  # noqa: E402
import judge  # noqa: E402
from findings import Refused  # noqa: E402

PAGES = ("4-block-file.md", "vectors/4-block-file.md")
CODES = {"unknownFormat": "notAStore", "newerFormat": "newerFormat"}


def fields(body):
    """The fields of a vector, each with a list of its values (spec/README.md)."""
    found, name = {}, None
    for line in body.split("\n"):
        line = re.sub(r"(^| )#.*", "", line)
        if line.startswith(" "):
            found[name][-1] += " " + line.strip()
        elif line:
            name, _, text = line.partition("=")
            name = name.strip()
            found.setdefault(name, []).append(text.strip())
    return found


def vectors():
    """Yields the page, the title, the bytes and the fields of each vector."""
    files, changes = {}, []
    for page in PAGES:
        with open(os.path.join(ROOT, "spec", page), encoding="utf-8") as file:
            text = file.read()
        for kind, title, body in re.findall(r"^```vector (block-file|changed-block-file): (.*)\n((?:.*\n)*?)```$", text, re.MULTILINE):
            found = fields(body)
            if kind == "block-file":
                files[title] = bytes.fromhex(found["bytes"][0])
                yield page, title, files[title], found
            else:
                changes.append((page, title, found))
    for page, title, found in changes:
        data = bytearray(files[found["of"][0]])
        for patch in found.get("patch", []):
            place, _, digits = patch.partition(" ")
            new = bytes.fromhex(digits)
            data[int(place):int(place) + len(new)] = new
        yield page, title, bytes(data[:len(data) - int(found.get("cut", ["0"])[0])]), found


def outcome(data):
    """The code of the error, or the objects (4.9)."""
    try:
        return None, list(contents.lines(data))
    except Refused:
        return CODES.get(judge.data(data).format, "damaged"), []


def compare_vectors():
    """Yields for each vector a sentence where the reader finds something else than the vector says, or None."""
    for page, title, data, found in vectors():
        wanted = found.get("code", [None])[0], found.get("object", [])
        seen = outcome(data)
        yield None if seen == wanted else f"spec/{page}: '{title}': the reader finds {seen}, and the vector says {wanted}"


def compare_identities():
    """As `compare_vectors`, for the identities of versions (7.7.9)."""
    with open(os.path.join(ROOT, "spec/7-document.md"), encoding="utf-8") as page:
        bodies = re.findall(r"^```vector identity: .*\n((?:.*\n)*?)```$", page.read(), re.MULTILINE)
    for found in map(fields, bodies):
        name, = found["document"]
        seen = [line for line in judge.lines(os.path.join(ROOT, "spec/vectors/rules", name)) if line.startswith("identity ")]
        wanted = [f"identity {found['version'][0]} {found['identity'][0]}"]
        yield None if seen == wanted else f"spec/7-document.md: the identity of {name} is {seen}"


def main():
    checked = [*compare_vectors(), *compare_identities()]
    found = [sentence for sentence in checked if sentence]
    for sentence in found:
        print(sentence)
    print(f"{len(checked)} vectors, {len(found)} differences")
    sys.exit(1 if found or not checked else 0)


if __name__ == "__main__":
    main()
