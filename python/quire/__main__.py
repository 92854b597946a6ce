"""python -m quire: type stubs of a document's model, and a look at a document."""

import argparse
import pathlib
import sys

from . import __version__, _document, _stubs
from ._errors import QuireError


def main(words=None):
    parser = argparse.ArgumentParser(prog="python -m quire", description=__doc__)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    stubs = commands.add_parser("stubs", help="writes type stubs of a document's model, for editors and type checkers")
    stubs.add_argument("document")
    stubs.add_argument("--output", help="the file; otherwise the stubs are printed")
    info = commands.add_parser("info", help="prints the entities of a document, and the numbers of their objects")
    info.add_argument("document")
    choices = parser.parse_args(words)
    try:
        with _document.open(choices.document, "read") as document:
            if choices.command == "stubs":
                text = _stubs.text(document.model)
                if choices.output:
                    pathlib.Path(choices.output).write_text(text, encoding="utf-8")
                else:
                    print(text, end="")
            else:
                for name, part in document.info()["entities"].items():
                    print(f"{name}: {part['count']}")
    except QuireError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
