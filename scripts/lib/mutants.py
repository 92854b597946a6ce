"""Measures how many faults in the core the tests find.

It copies the project to .build/mutants/tree, and changes one expression or statement in each of some hundred lines there. All changes are
compiled into one test program, and `mutations.py` says how. Each change, called a mutant, is then switched on alone, and the test suites
run that execute the changed line, until one fails. A test that fails, a crash and a run that never ends catch the mutant. The command
fails if the tests catch less than 95 of 100 mutants.

Tests/mutants.txt lists mutants that behave like the original, each with its reason. They are replaced by other mutants.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys

import mutant_runs
import mutations

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, ".build/mutants")
TREE = os.path.join(FOLDER, "tree")
EXCLUDED = "Tests/mutants.txt"
LEAST_PERCENTAGE = 95
# The parts of the core, their sources, their shares of the mutants, and the tests that run first.
AREAS = [
    ("rows", ["Sources/Rows"], 0.4, "RowsTests"),
    ("block file", ["Sources/BlockFileFormat", "Plugins/BinaryStore/Sources"], 0.3, "BinaryStoreTests"),
    ("rebase", ["Sources/ObjectGraph/Rebase"], 0.3, "ObjectGraphTests"),
]
CHANGED_TARGETS = ["Rows", "BlockFileFormat", "BinaryStore", "ObjectGraph"]
TEST_TARGETS = [
    "RowsTests", "BinaryStoreTests", "StoreInterfaceTests", "ObjectGraphTests", "StoreConformanceTests", "ValidationTests",
    "DocumentsTests"]
# Numbers of mutants of one area are below this.
NUMBERS = 10_000

HEADER = """#pragma once
#include <stdbool.h>
#include <stdint.h>

extern int32_t active_mutant;
extern uint8_t *_Nullable reached_mutants;

/// Returns whether the mutant of a number is active in this process.
static inline bool mutant(int32_t number) {
  if (reached_mutants) reached_mutants[number] = 1;
  return number == active_mutant;
}
"""
SOURCE = """#include "CMutants.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int32_t active_mutant = -1;
uint8_t *reached_mutants = 0;

__attribute__((constructor)) static void read_environment(void) {
  const char *number = getenv("QUIRE_MUTANT");
  if (number) active_mutant = atoi(number);
  const char *path = getenv("QUIRE_MUTANTS_REACHED");
  if (!path) return;
  int file = open(path, O_RDWR);
  if (file < 0) return;
  void *bytes = mmap(0, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (bytes != MAP_FAILED) reached_mutants = bytes;
}
"""
PACKAGE = """
// The switches of the mutants.
package.targets.append(.target(name: "CMutants"))
for target in package.targets where %s.contains(target.name) {
  target.dependencies.append("CMutants")
}
"""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write_if_changed(path, data):
    """Writes a file of the copy. A file that stays the same keeps its time, so that it is not compiled again."""
    try:
        with open(path, "rb") as file:
            if file.read() == data:
                return
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def project_files():
    """Returns the paths of the project's files, also of those that are not committed yet."""
    output = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
        capture_output=True).stdout.decode()
    return sorted(path for path in set(output.split("\0")) if path and os.path.isfile(os.path.join(ROOT, path)))


def read_list(path):
    """Returns the entries of a file of mutants and their reasons. Each entry is a line, and its reason the indented lines below."""
    entries, key = {}, None
    for line in read(path).splitlines() if os.path.exists(path) else []:
        if line.startswith("  "):
            entries[key] = f"{entries[key]} {line.strip()}".strip()
        elif line and not line.startswith("#"):
            key = line.strip()
            entries[key] = ""
    return entries


class Selection:
    """The mutants of this run: for each area its mutants in their order, without excluded ones and ones that do not compile."""

    def __init__(self, paths, count):
        self.excluded = read_list(os.path.join(ROOT, EXCLUDED))
        self.refused_path = os.path.join(FOLDER, "refused.txt")
        self.refused = set(read_list(self.refused_path))
        self.areas = []
        known = set()
        for index, (name, folders, share, tests) in enumerate(AREAS):
            mutants = []
            for path in paths:
                if path.endswith(".swift") and path.startswith(tuple(folder + "/" for folder in folders)):
                    mutants += mutations.mutants_of_file(path, read(os.path.join(ROOT, path)))
            mutants.sort(key=lambda mutant: mutant.rank)
            for number, mutant in enumerate(mutants):
                mutant.id, mutant.area, mutant.tests = index * NUMBERS + number, name, tests
            known.update(mutant.key for mutant in mutants)
            self.areas.append((mutants, round(count * share)))
        unknown = [key for key in self.excluded if key not in known]
        if unknown:
            raise SystemExit("mutants: these lines of %s fit no line of the sources:\n%s" % (EXCLUDED, "\n".join(unknown)))

    def compiled(self):
        """The mutants that are compiled: more than wanted, because some do not compile and some will be excluded."""
        found = []
        for mutants, wanted in self.areas:
            left = [mutant for mutant in mutants if mutant.key not in self.refused]
            found += left[:wanted * 13 // 10 + 5]
        return found

    def wanted(self):
        """The mutants that the tests must catch."""
        found = []
        for mutants, wanted in self.areas:
            left = [mutant for mutant in mutants if mutant.key not in self.refused and mutant.key not in self.excluded]
            found += left[:wanted]
        compiled = {mutant.id for mutant in self.compiled()}
        return [mutant for mutant in found if mutant.id in compiled]

    def refuse(self, mutant):
        self.refused.add(mutant.key)
        with open(self.refused_path, "a", encoding="utf-8") as file:
            file.write(mutant.key + "\n")


def write_tree(paths, mutants):
    """Writes the copy of the project with the mutants."""
    changed = {}
    for mutant in mutants:
        changed.setdefault(mutant.path, []).append(mutant)
    folders = tuple(folder + "/" for area in AREAS for folder in area[1])
    written = set()
    for path in paths:
        with open(os.path.join(ROOT, path), "rb") as file:
            data = file.read()
        if path == "Package.swift":
            # The changed lines cause warnings.
            text = data.decode().replace(".treatAllWarnings(as: .error),", "")
            data = (text + PACKAGE % json.dumps(CHANGED_TARGETS)).encode()
        elif path.endswith(".swift") and path.startswith(folders):
            lines = data.decode().split("\n")
            for mutant in changed.get(path, []):
                lines[mutant.number - 1] = mutant.switched.replace("NUMBER", str(mutant.id))
            # Code that other modules inline can't call the switch.
            text = re.sub(r"@inlinable\b", "", "\n".join(lines))
            data = ("import CMutants; " + text if path in changed else text).encode()
        write_if_changed(os.path.join(TREE, path), data)
        written.add(path)
    for path, text in [("Sources/CMutants/include/CMutants.h", HEADER), ("Sources/CMutants/CMutants.c", SOURCE)]:
        write_if_changed(os.path.join(TREE, path), text.encode())
        written.add(path)
    for folder in ("Sources", "Plugins", "Tests"):
        for base, _, names in os.walk(os.path.join(TREE, folder)):
            for name in names:
                path = os.path.join(base, name)
                if os.path.relpath(path, TREE) not in written:
                    os.remove(path)


def build(paths, selection):
    """Builds the test program, and drops the mutants that do not compile."""
    environment = dict(os.environ, QUIRE_TARGETS=" ".join(TEST_TARGETS))
    flags = shlex.split(os.environ.get("QUIRE_BUILD_FLAGS", ""))
    while True:
        mutants = selection.compiled()
        write_tree(paths, mutants)
        print(f"mutants: builds the tests with {len(mutants)} mutants", flush=True)
        outcome = subprocess.run(
            ["swift", "build", "--build-tests", *flags], cwd=TREE, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", check=False)
        with open(os.path.join(FOLDER, "build.log"), "w", encoding="utf-8") as file:
            file.write(outcome.stdout)
        if outcome.returncode == 0:
            return
        errors = set(re.findall(re.escape(TREE) + r"/(\S+?):(\d+):\d+: error: ", outcome.stdout))
        refused = set()
        for path, line in errors:
            # The compiler may find the fault in a line below, such as the end of a function that does not return a value.
            above = [mutant for mutant in mutants if mutant.path == path and mutant.number <= int(line)]
            if above:
                refused.add(max(above, key=lambda mutant: mutant.number))
        if not refused:
            print("\n".join(outcome.stdout.splitlines()[-40:]))
            raise SystemExit("mutants: the tests can't be built; the log is .build/mutants/build.log")
        print(f"mutants: {len(refused)} do not compile", flush=True)
        for mutant in refused:
            selection.refuse(mutant)


def print_table(results):
    """Prints the mutants, the survivors last. Returns the percentage of the caught ones."""
    for outcome in ("caught", "survived", "not reached"):
        for result in sorted(results.values(), key=lambda result: (result["area"], result["place"])):
            if result["outcome"] == outcome:
                by = f": {result['by']}" if result["by"] else ""
                print(f"{outcome}{by}\n  {result['id']} {result['place']} {result['change']}")
    print()
    for area in [area[0] for area in AREAS]:
        found = [result["outcome"] for result in results.values() if result["area"] == area]
        print(f"mutants: {area}: {found.count('caught')} of {len(found)} caught, {found.count('not reached')} not reached")
    caught = sum(result["outcome"] == "caught" for result in results.values())
    percentage = 100 * caught / max(len(results), 1)
    print(f"mutants: {caught} of {len(results)} caught ({percentage:.1f} %)")
    return percentage


def main():
    parser = argparse.ArgumentParser(prog="./run mutants")
    parser.add_argument("count", nargs="?", type=int, default=200, help="the number of mutants")
    parser.add_argument("--only", help="the numbers of the mutants to run, separated by commas")
    parser.add_argument("--survivors", action="store_true", help="runs only the mutants that survived the last time")
    parser.add_argument("--list", action="store_true", help="lists the mutants and runs nothing")
    parser.add_argument(
        "--longest", type=float, default=mutant_runs.LONGEST, help="leaves out suites that take more seconds than this")
    parser.add_argument("--suites", default="", help="runs only the suites whose names contain this regular expression")
    parser.add_argument("--workers", type=int, default=mutant_runs.WORKERS, help="the number of suites that run at the same time")
    options = parser.parse_args()
    os.makedirs(FOLDER, exist_ok=True)
    paths = project_files()
    selection = Selection(paths, options.count)
    if options.list:
        for mutant in selection.wanted():
            print(mutant.id, mutant.key)
        return 0
    build(paths, selection)
    runs = mutant_runs.Runs(TREE, FOLDER, options)
    runs.measure()

    mutants = selection.wanted()
    results_path = os.path.join(FOLDER, "results.json")
    former = json.loads(read(results_path)) if os.path.exists(results_path) else {}
    if options.only:
        numbers = {int(number) for number in options.only.split(",")}
        mutants = [mutant for mutant in selection.compiled() if mutant.id in numbers]
    elif options.survivors:
        mutants = [mutant for mutant in mutants if former.get(mutant.key, {}).get("outcome") != "caught"]
    results = {}
    if options.survivors or options.only:
        wanted = {mutant.key for mutant in selection.wanted()}
        results = {key: result for key, result in former.items() if key in wanted}

    def save(key, result):
        results[key] = result
        with open(results_path, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)

    runs.run_all(mutants, save)
    percentage = print_table(results)
    print(f"mutants: {len(selection.excluded)} more behave like the original, and {EXCLUDED} gives the reasons")
    return 0 if percentage >= LEAST_PERCENTAGE else 1


if __name__ == "__main__":
    sys.exit(main())
