"""Reads, judges and writes files as this specification says. The specification and the standard library are all it knows.

    python3 spec/reference read PATH          the objects of a file or a document (3 to 5, 7, 8), a line each
    python3 spec/reference validate PATH...   the rules that files and documents break (6), and the verdict
    python3 spec/reference hashes PATH        the version hashes (2.4) of a model
    python3 spec/reference history PATH       the history of Core Data in an SQLite database (10.10), as JSON
    python3 spec/reference exchange FOLDER    the versions in the packs of a remote (16), and whether their identities are right
    python3 spec/reference write              the features of which there are gold files
    python3 spec/reference write NAME PATH    a new file that shows a feature; prints what `read` finds in it
"""

import json
import sys

import changelog
import exchange
import gold
import judge
import model
import modelfiles
from findings import Refused


def hashes(path):
    for name, value in sorted(modelfiles.read(path).hashes().items(), key=lambda pair: model.name_order(pair[0])):
        print(name, value.hex())
    return 0


def read(path):
    for line in judge.lines(path):
        print(line)
    return 0


def history(path):
    print(json.dumps(changelog.read(path), indent=2))
    return 0


def versions(path):
    are_right = True
    for line in exchange.lines(path):
        print(line)
        are_right = are_right and (not line.startswith("version ") or line.endswith(" ok"))
    return 0 if are_right else 1


def validate(*paths):
    is_valid = True
    for path in paths:
        report = judge.path(path)
        for rule, message in report.findings:
            print(f"{rule} {path}: {message}")
        print(f"{path}: {report.verdict}")
        is_valid = is_valid and report.verdict == "valid"
    return 0 if is_valid else 1


def write(name=None, path=None):
    features = gold.all_features()
    if name is None:
        for feature in features.values():
            print(f"{feature.name:32} {feature.kind}: {feature.sentence}")
        return 0
    if name not in features:
        sys.exit(f"There is no feature '{name}'. `python3 spec/reference write` lists them.")
    content, lines = features[name].make()
    gold.write(content, path)
    for line in lines:
        print(line)
    return 0


def main():
    commands = {"read": (read, [1]), "validate": (validate, range(1, 1 << 20)), "hashes": (hashes, [1]), "history": (history, [1]),
                "exchange": (versions, [1]), "write": (write, [0, 2])}
    if len(sys.argv) < 2 or sys.argv[1] not in commands or len(sys.argv) - 2 not in commands[sys.argv[1]][1]:
        sys.exit(__doc__)
    try:
        sys.exit(commands[sys.argv[1]][0](*sys.argv[2:]))
    except Refused as refused:
        sys.exit(f"refused: {refused}")


if __name__ == "__main__":
    main()
