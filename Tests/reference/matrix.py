"""Runs every producer of files against every consumer, and writes docs/format-matrix.md (feature by producer by consumer).

The producers are the writer in spec/reference and the tool. The consumers are the reader in spec/reference and the tool: each reads the
objects of the file and validates it. All must find the same objects and the same broken rules. `RECORD_SNAPSHOTS=1` writes the page;
without it the page must be as it would be written.

    python3 Tests/reference/matrix.py [--tool PATH] [FEATURE...]
"""

import argparse
import concurrent.futures
import os
import shutil
import sys
import time

import objects
import toolfiles

ROOT = objects.ROOT
FOLDER = os.path.join(ROOT, ".build/matrix")
PAGE = os.path.join(ROOT, "docs/format-matrix.md")
import gold  # noqa: E402
import judge  # noqa: E402
from block import HIGHEST_KEY  # noqa: E402
from findings import SEVERITIES, Refused  # noqa: E402

YES, NEVER, NO = "yes", "–", "**no**"


class Checks:
    """The checks of one feature: the cells of its row, and a sentence for each disagreement."""

    def __init__(self, tool, name):
        self.tool, self.name, self.found, self.kept, self.rules = tool, name, [], {}, {}
        self.folder = os.path.join(FOLDER, name)
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def cell(self, check, *words):
        """Runs a check, which raises `Failure` for a disagreement, and returns the cell."""
        try:
            return NEVER if check(*words) is NEVER else YES
        except (objects.Failure, Refused, AssertionError) as error:
            self.found.append(f"{self.name}: {check.__name__}{words}: {error}")
            return NO

    # --- The consumers

    def read(self, path):
        """The contents as the reader finds them, which are read once."""
        if path not in self.kept:
            self.kept[path] = objects.of_reader(path)
        return self.kept[path]

    def consume(self, path, consumer):
        """The contents of a file, the verdict and the broken rules, as a consumer finds them."""
        if consumer == "python":
            report = judge.path(path)
            found = self.read(path), report.verdict, report.rules
        else:
            found = self.tool.contents(path, self.read(path).models), *self.tool.judge(path)
        known = self.rules.setdefault(path, found[2])
        if known != found[2]:
            raise objects.Failure(f"{path}: one validator reports {sorted(known)}, the other {sorted(found[2])}")
        return found

    def require_same(self, path, wanted, consumer):
        """Requires the contents of a file from a consumer, and its verdict; returns the rules that it reports."""
        found, verdict, rules = self.consume(path, consumer)
        difference = wanted.difference(found)
        if difference is None and verdict != "valid":
            difference = f"the verdict is {verdict}, by {sorted(rules)}"
        if difference is not None:
            raise objects.Failure(f"{path}: {consumer}: {difference}")
        return rules

    def require_copy(self, path, wanted, consumer, allowed=frozenset()):
        """Requires the contents, in whatever way a copy numbers the objects, and a file without errors and without other warnings."""
        found, verdict, rules = self.consume(path, consumer)
        if len(found.stores) == 1 and list(wanted.stores) == [""]:
            found = objects.Contents({"": found.only}, (), found.attachments)
        difference = wanted.ranked().difference(found.ranked())
        if difference is not None or verdict != "valid" or any(SEVERITIES[rule] != "information" for rule in rules - allowed):
            raise objects.Failure(f"{path}: {consumer}: {difference or verdict}; {sorted(rules)}")


class GoldChecks(Checks):
    """A gold file of the writer in spec/reference."""

    def __init__(self, tool, feature):
        super().__init__(tool, feature.name)
        self.feature, self.identifier = feature, None
        content, self.lines = feature.make()
        self.file = self.path("gold" + gold.EXTENSIONS[feature.kind])
        gold.write(content, self.file)
        self.is_document = feature.kind in ("document", "packed document")

    def python_reads(self):
        found = list(judge.lines(self.file))
        if found != self.lines:
            pair = next(((one, other) for one, other in zip(found, self.lines) if one != other), (len(found), len(self.lines)))
            raise objects.Failure(f"the reader finds {pair[0]}, and the writer wrote {pair[1]}")
        self.require_rules(self.require_same(self.file, self.read(self.file), "python"))

    def quire_reads(self):
        self.require_rules(self.require_same(self.file, self.read(self.file), "quire"))

    def require_rules(self, rules):
        if rules != self.feature.findings:
            raise objects.Failure(f"the rules are {sorted(rules)} and not {sorted(self.feature.findings)}")

    def saved(self):
        """The path of a copy to which the tool saved one object without values, and the contents then; `NEVER` where it can't."""
        before = self.read(self.file)
        name, model = next(iter(before.models.items()))
        attribute = toolfiles.free_attribute(model)
        highest = max((number for own in before.stores.values() for _, number, _, _ in own), default=0)
        if self.feature.kind == "packed document" or not self.feature.may_change or attribute is None or highest == HIGHEST_KEY:
            return NEVER
        path = self.path("saved" + gold.EXTENSIONS[self.feature.kind])
        if self.identifier is None:
            (shutil.copytree if os.path.isdir(self.file) else shutil.copy)(self.file, path)
            self.identifier = "not saved"
            where = ["--in", name] if len(before.stores) > 1 else []
            self.identifier = self.tool.run("insert", path, attribute[0], f"{attribute[1]}=null", *where).strip()
        number = int(self.identifier.partition("/p")[2] or "0")
        after = objects.Contents(dict(before.stores), (), before.attachments)
        after.stores[name] = objects.in_one_form([*before.stores[name], (attribute[0], number, {}, {})], model)
        return path, after

    def consumer_reads_save(self, consumer):
        found = self.saved()
        if found is NEVER:
            return NEVER
        path, wanted = found
        self.require_same(path, wanted, consumer)
        return None

    def copies(self):
        """The paths of copies that the tool wrote."""
        paths = {kind: self.path(f"copy-{kind}") for kind in toolfiles.copies_of(self.feature, len(self.lines))}
        for kind, path in paths.items():
            if not os.path.exists(path):
                toolfiles.write_copy(self.tool, kind, self.file, path)
        return paths

    def consumer_reads_copies(self, consumer):
        wanted = self.read(self.file)
        for path in self.copies().values():
            # An archive contains all files of the folder.
            self.require_copy(path, wanted, consumer, self.feature.findings if self.is_document else frozenset())

    def row(self):
        return [self.cell(self.python_reads), self.cell(self.quire_reads),
                *(self.cell(self.consumer_reads_save, one) for one in ("python", "quire")),
                *(self.cell(self.consumer_reads_copies, one) for one in ("python", "quire"))]


class ToolChecks(Checks):
    """Files that the tool makes by a series of commands."""

    def __init__(self, tool, recipe):
        super().__init__(tool, recipe.name)
        self.recipe = recipe
        self.file, self.wanted = recipe.make(tool, self.folder)

    def consumer_reads(self, consumer):
        if not self.recipe.knows_numbers:
            self.require_copy(self.file, self.wanted, consumer)
            return
        rules = self.require_same(self.file, self.wanted, consumer)
        if any(SEVERITIES[rule] != "information" for rule in rules):
            raise objects.Failure(f"{self.file}: {consumer}: {sorted(rules)}")

    def row(self):
        return [self.cell(self.consumer_reads, one) for one in ("python", "quire")]


def gold_row(tool, name):
    checks = GoldChecks(tool, gold.all_features()[name])
    return checks.row(), checks.found


def tool_row(tool, name):
    checks = None
    try:
        checks = ToolChecks(tool, toolfiles.RECIPES[name])
        return checks.row(), checks.found
    except objects.Failure as error:
        return [NO, NO], [f"{name}: {error}"]


INTRODUCTION = """# Programs that write, and programs that read

Two programs read and write the formats: Quire, and the [reference reader and writer](../spec/reference/README.md) in Python. The Python program
is written from the specification alone. `./run reference` runs each producer of a file against each consumer. The command fails if the two
consumers find different objects, verdicts or broken rules, or if this page is out of date. `RECORD_SNAPSHOTS=1 ./run reference` writes the page.

A column names the producer and the consumer. To read a file means to find its objects, and to validate the file.

| column | the producer | the consumer |
|---|---|---|
| P → P, P → Q | the Python writer makes a gold file, with odd but legal choices: `python3 spec/reference write NAME PATH` | Python, Quire |
| S → P, S → Q | Quire saves one more object to the gold file | Python, Quire |
| C → P, C → Q | Quire copies the contents: a store into a plain, a compressed and an XML store, a document and an archive; a document into \
a folder and an archive; an archive into a folder | Python, Quire |
| Q → P, Q → Q | Quire makes a file by a series of commands | Python, Quire |

A dash means that the producer must not write: into an archive, into a file with a feature of the class `read`, or behind the highest object number.

"""


def page(rows, recipes):
    features, lines = gold.all_features(), []
    for kind in gold.EXTENSIONS:
        lines += [f"## Gold files: {kind}s", "", "| Feature | Contents | P → P | P → Q | S → P | S → Q | C → P | C → Q |",
                  "|---|---|---|---|---|---|---|---|"]
        lines += [f"| `{name}` | {features[name].sentence} | {' | '.join(row)} |" for name, row in rows.items() if features[name].kind == kind]
        lines.append("")
    lines += ["## Files that Quire makes", "", "| File | Contents | Q → P | Q → Q |", "|---|---|---|---|"]
    lines += [f"| `{name}` | {toolfiles.RECIPES[name].sentence} | {' | '.join(row)} |" for name, row in recipes.items()]
    return INTRODUCTION + "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tool", default=os.path.join(ROOT, ".build/debug/quire"))
    parser.add_argument("features", nargs="*", help="the features to run; all, and the page, without them")
    options = parser.parse_args()
    started, tool = time.monotonic(), objects.Tool(options.tool)
    names = [name for name in gold.all_features() if not options.features or name in options.features]
    recipes = [name for name in toolfiles.RECIPES if not options.features or name in options.features]
    rows, found, recipe_rows = {}, [], {}
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        gold_rows = {name: pool.submit(gold_row, tool, name) for name in names}
        tool_rows = {name: pool.submit(tool_row, tool, name) for name in recipes}
        for name, outcome in gold_rows.items():
            rows[name], sentences = outcome.result()
            found += sentences
        for name, outcome in tool_rows.items():
            recipe_rows[name], sentences = outcome.result()
            found += sentences
    for sentence in found:
        print(f"matrix: {sentence}")
    if not options.features:
        text, is_recording = page(rows, recipe_rows), "RECORD_SNAPSHOTS" in os.environ
        current = open(PAGE, encoding="utf-8").read() if os.path.exists(PAGE) else ""
        if is_recording and not found:
            with open(PAGE, "w", encoding="utf-8") as file:
                file.write(text)
        elif text != current:
            found.append("the page is out of date")
            print("matrix: docs/format-matrix.md is out of date. RECORD_SNAPSHOTS=1 ./run reference writes it.")
    print(f"matrix: {len(rows)} gold files, {len(recipe_rows)} files of the tool, {len(found)} differences; "
          f"{time.monotonic() - started:.0f} s")
    sys.exit(1 if found or not (rows or recipe_rows) else 0)


if __name__ == "__main__":
    main()
