"""Compares the functions of predicates (17) in spec/reference with the vectors of the chapter, and with the tool for random arguments.

    python3 Tests/reference/functions.py [--tool PATH] [--calls N] [--seed N]
"""

import argparse
import json
import os
import random
import sys
import tempfile

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import inline_vectors  # noqa: E402
import objects  # noqa: E402
import functions  # noqa: E402

MODEL = """
entity One
  name: String?
"""
ZONES = ("UTC", "Europe/Berlin", "America/St_Johns", "Africa/Cairo", "Australia/Lord_Howe", "+05:30", "-0945", "GMT+01:00")
# The module zoneinfo and the library of the tool may have different rules for the years before the first table of a zone and after its last table.
DATES = (-3e9, 1e9)
TEXTS = ("", "a", "Lisbon", " \tx\u3000", "aXbXc", "cafe\u0301", "e\u0301e\u0301", "straße", "İ", "東京", "a'b\"c")
BATCH = 40


def compare_vectors():
    """Yields a sentence for each case with a different result, and at last the number of cases."""
    count = 0
    for title, fields in inline_vectors.on_page("17-functions.md", "function"):
        for text in fields["case"]:
            name, arguments, wanted = functions.case(text)
            found = functions.evaluate(name, arguments)
            count += 1
            if found != wanted:
                yield f"spec/17-functions.md: '{title}': {text}: the reader finds {found}"
    yield count


# --- Random calls


def date(chance):
    number = chance.uniform(*DATES) if chance.random() < 0.7 else float(chance.choice((0, -1, 86399.5, 5097600, 7776000, -63145526400)))
    return "date", number


def number(chance):
    kind = chance.choice(("integer", "real"))
    if kind == "integer":
        return kind, chance.choice((0, 1, -1, 49, 50, -50, 12345, 2 ** 53 + 1, 2 ** 62, chance.randrange(-10 ** 9, 10 ** 9)))
    return kind, chance.choice((0.0, 0.5, -0.5, 2.5, 2.675, 1.005, 1e300, 5e-324, 0.1 + 0.2, round(chance.uniform(-1e6, 1e6), 4), chance.gauss(0, 1e9)))


def zone(chance):
    return [("text", chance.choice(ZONES))] if chance.random() < 0.5 else []


def call(chance):
    """The name and the arguments of a random call."""
    text = "text", chance.choice(TEXTS)
    kind = chance.randrange(5)
    if kind == 0:
        return chance.choice(sorted(functions.PARTS)), [date(chance), *zone(chance)]
    if kind == 1:
        return "trunc", [date(chance), ("text", chance.choice(functions.UNITS)), *zone(chance)]
    if kind == 2:
        return "round", [number(chance), *([("integer", chance.randrange(-12, 13))] if chance.random() < 0.7 else [])]
    if kind == 3:
        return chance.choice(("abs", "floor", "ceiling", "trunc")), [number(chance)]
    return chance.choice((("substring", [text, ("integer", chance.randrange(-3, 9)), ("integer", chance.randrange(0, 9))]),
                          ("replace", [text, ("text", chance.choice(TEXTS)), ("text", chance.choice(TEXTS))]), ("trim", [text]),
                          ("upper", [text]), ("lower", [text]), ("length", [text]), ("concat", [text, ("integer", 7), text])))


def written(value):
    """A value as an expression of the tool."""
    kind, content = value
    if kind == "text":
        return '"' + "".join(one if one.isalnum() and one.isascii() else "".join(
            f"\\u{unit:04x}" for unit in memoryview(one.encode("utf-16-le")).cast("H")) for one in content) + '"'
    text = repr(content)
    if kind == "real" and "." not in text and "e" not in text:
        text += ".0"
    return f'CAST({text}, "NSDate")' if kind == "date" else text


def expression(name, arguments, result):
    text = f"{name}({', '.join(map(written, arguments))})"
    # A difference of dates shows all digits.
    return f'{text} - CAST(0, "NSDate")' if result[0] == "date" else text


def compare_calls(tool, chance, count, folder):
    model, path = os.path.join(folder, "One.model"), os.path.join(folder, "one.quire")
    with open(model, "w", encoding="utf-8") as file:
        file.write(MODEL)
    tool.run("new", path, "--model", model)
    tool.run("insert", path, "One", "name=x")
    calls = []
    while len(calls) < count:
        name, arguments = call(chance)
        result = functions.evaluate(name, arguments)
        if result is not None:
            calls.append((expression(name, arguments, result), result))
    for start in range(0, count, BATCH):
        part = calls[start:start + BATCH]
        columns = ", ".join(f"{text} AS c{index}" for index, (text, _) in enumerate(part))
        row = json.loads(tool.run("fetch", path, "One", "--columns", columns, "--format", "json"))[0]
        for index, (text, result) in enumerate(part):
            found = row[f"c{index}"]
            if found != result[1] or isinstance(found, int) != (result[0] == "integer") and not float(found).is_integer():
                yield f"{text}: the tool finds {found!r}, and the reader {result[1]!r}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tool", default=os.path.join(inline_vectors.ROOT, ".build/debug/quire"))
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    options = parser.parse_args()
    *faults, count = compare_vectors()
    if not faults and count:
        with tempfile.TemporaryDirectory() as folder:
            faults += [f"seed {options.seed}: {fault}" for fault in compare_calls(
                objects.Tool(options.tool), random.Random(options.seed), options.calls, folder)]
    if faults or not count:
        sys.exit("functions: " + ("\n".join(faults[:20]) or "no vectors"))
    print(f"functions: {count} cases of vectors and {options.calls} random calls, found alike")


if __name__ == "__main__":
    main()
