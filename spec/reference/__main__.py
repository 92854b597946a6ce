"""Reads and judges files as this specification says. The specification and the standard library are all it knows.

    python3 spec/reference read FILE          the objects of a block file (3, 4), a line each
    python3 spec/reference validate PATH...   the rules that files and documents break (6), and the verdict
    python3 spec/reference hashes PATH        the version hashes (2.4) of a model
"""

import sys

import judge
import model
import modelfiles
from findings import Refused


def hashes(path):
    for name, value in sorted(modelfiles.read(path).hashes().items(), key=lambda pair: model.name_order(pair[0])):
        print(name, value.hex())
    return 0


def read(path):
    with open(path, "rb") as source:
        for line in judge.lines(source.read()):
            print(line)
    return 0


def validate(*paths):
    is_valid = True
    for path in paths:
        report = judge.path(path)
        for rule, message in report.findings:
            print(f"{rule} {path}: {message}")
        print(f"{path}: {report.verdict}")
        is_valid = is_valid and report.verdict == "valid"
    return 0 if is_valid else 1


def main():
    commands = {"read": read, "validate": validate, "hashes": hashes}
    if len(sys.argv) < 3 or sys.argv[1] not in commands or sys.argv[1] != "validate" and len(sys.argv) > 3:
        sys.exit(__doc__)
    try:
        sys.exit(commands[sys.argv[1]](*sys.argv[2:]))
    except Refused as refused:
        sys.exit(f"refused: {refused}")


if __name__ == "__main__":
    main()
