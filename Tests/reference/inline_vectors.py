"""Runs the reader in spec/reference on vectors of the pages: block files and changed ones (4.9), manifests and identities (7.9), and differences (16.6).

    python3 Tests/reference/inline_vectors.py
"""

import json
import os
import re
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "spec/reference"))
import contents  # noqa: E402
import judge  # noqa: E402
import manifest  # noqa: E402
import patch  # noqa: E402
from findings import SEVERITIES, Refused, Report, crc32c  # noqa: E402

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


def on_page(name, kind):
    """The title and the fields of each vector of a kind on a page."""
    with open(os.path.join(ROOT, "spec", name), encoding="utf-8") as page:
        found = re.findall(rf"^```vector {kind}: (.*)\n((?:.*\n)*?)```$", page.read(), re.MULTILINE)
    return [(title, fields(body)) for title, body in found]


# --- 7


def compare_identities():
    """As `compare_vectors`, for the identities of versions (7.7.9)."""
    for _, found in on_page("7-document.md", "identity"):
        name, = found["document"]
        seen = [line for line in judge.lines(os.path.join(ROOT, "spec/vectors/rules", name)) if line.startswith("identity ")]
        wanted = [f"identity {found['version'][0]} {found['identity'][0]}"]
        yield None if seen == wanted else f"spec/7-document.md: the identity of {name} is {seen}"


def text_of(lines):
    return ("\n".join(lines) + "\n").encode()


def sealed(data):
    """A manifest with the checksum of its bytes (7.3.9)."""
    place = data.rindex(b'"checksum": "') + 13
    return data[:place] + f"{crc32c(data[:place]):08x}".encode() + data[place + 8:]


def changed_manifest(lines, found):
    """The text of a vector of the kind `bad-manifest`, made from the lines of another vector."""
    number = int(found["at"][0])
    changed = text_of([*lines[:number - 1], *found.get("with", []), *lines[number:]])
    return changed if number == len(lines) else sealed(changed)


def said(one):
    """What a manifest says, as far as the reader keeps it, in the lines of 7.9."""
    return {
        "version": [f"{number} {one.details[number]['saved']} {one.details[number]['model']}" for number in one.versions],
        "merged": [f"{number} {other}" for number, merged in one.merged.items() for other in merged],
        "received": [f"{number} {other}" for number, received in one.received.items() for other in received],
        "head": one.heads,
        "store": [f"{store['name']} {store['type']} {store['file']} {store['commit']}" for store in one.stores],
        "attachment": [f"{file['name']} {file['byteCount']} {file['since']} {'-' if file['until'] is None else file['until']}"
                       for file in one.attachments]}


def compare_manifests():
    """As `compare_vectors`, for manifests (7.9)."""
    sound = dict(on_page("7-document.md", "manifest"))
    for title, found in sound.items():
        report = Report()
        seen = said(manifest.Manifest(text_of(found["line"]), report))
        wanted = {name: found.get(name, []) for name in seen}
        yield None if seen == wanted and not report.error_count else f"manifest '{title}': the reader finds {seen} and {report.findings}"
    for title, found in on_page("7-document.md", "bad-manifest"):
        report = Report()
        manifest.Manifest(changed_manifest(sound[found["of"][0]]["line"], found), report)
        rules = sorted(rule for rule, _ in report.findings if SEVERITIES[rule] == "error")
        yield None if rules == found["rule"] else f"bad-manifest '{title}': the reader reports {rules}"


# --- 16


def difference_outcome(found):
    """The lines of two differences together, sorted, or the sentence of the error."""
    try:
        first, second = (patch.read_lines([line.encode() for line in found.get(name, [])]) for name in ("first", "second"))
        return sorted(json.dumps(line, sort_keys=True) for line in first.followed_by(second).lines()), ""
    except Refused as refused:
        return None, str(refused)


def compare_differences():
    """As `compare_vectors`, for differences that follow one another (16.6). The two differences turned around must give the turned one."""
    for title, found in on_page("16-exchange.md", "difference"):
        seen, error = difference_outcome(found)
        if "contradiction" in found:
            is_right = seen is None and found["contradiction"][0] in error
        else:
            wanted = patch.read_lines([line.encode() for line in found.get("together", [])])
            is_right = seen == sorted(json.dumps(patch.object_of(line.encode(), "13.1.1"), sort_keys=True) for line in found.get("together", []))
            first, second = (patch.read_lines([line.encode() for line in found.get(name, [])]).turned() for name in ("second", "first"))
            is_right = is_right and first.followed_by(second).rows == wanted.turned().rows
        yield None if is_right else f"difference '{title}': the reader finds {seen} {error}"


def compare_all():
    return [*compare_vectors(), *compare_identities(), *compare_manifests(), *compare_differences()]


def main():
    checked = compare_all()
    found = [sentence for sentence in checked if sentence]
    for sentence in found:
        print(sentence)
    print(f"{len(checked)} vectors, {len(found)} differences")
    sys.exit(1 if found or not checked else 0)


if __name__ == "__main__":
    main()
