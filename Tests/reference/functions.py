"""Runs the functions of predicates (17) in spec/reference on the vectors of the chapter.

    python3 Tests/reference/functions.py
"""

import os
import sys

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import inline_vectors  # noqa: E402
import functions  # noqa: E402


def main():
    faults, count = [], 0
    for title, fields in inline_vectors.on_page("17-functions.md", "function"):
        for text in fields["case"]:
            name, arguments, wanted = functions.case(text)
            found = functions.evaluate(name, arguments)
            count += 1
            if found != wanted:
                faults.append(f"spec/17-functions.md: '{title}': {text}: the reader finds {found}")
    if faults or not count:
        sys.exit("\n".join(faults) or "functions: no vectors")
    print(f"functions: {count} cases of vectors, found alike")


if __name__ == "__main__":
    main()
