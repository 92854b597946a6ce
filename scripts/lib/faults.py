"""Measures how many faults in the order of things the tests of interleavings find.

Like `mutants.py`, it compiles all faults into one test program in a copy of the project, and switches one on at a time. A failed test, a
crash and a run that never ends find the fault.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys

import mutants

FOLDER = os.path.join(mutants.ROOT, ".build/faults")
TREE = os.path.join(FOLDER, "tree")
LIST = "Tests/faults.txt"
TEST_TARGET = "ObjectGraphTests"
SUITE = "ObjectGraphTests.InterleavingTests/laws"
PROGRAM = os.path.join(TREE, ".build/debug/quirePackageTests.xctest")
# Seconds that the orders may take. The schedule itself gives up after two minutes without progress.
LONGEST = 900


class Fault:
    """A fault of the list: a file, and lines with their replacement."""

    def __init__(self, number, name, path, changes):
        self.number, self.name, self.path, self.changes = number, name, path, changes

    def apply(self, text):
        for old, new in self.changes:
            pattern = r"\n".join(r"[ \t]*" + re.escape(line) + "[^\n]*" for line in old)
            found = list(re.finditer(f"(?m)^{pattern}$", text))
            if len(found) != 1:
                raise SystemExit(f"faults: '{self.name}' fits {len(found)} places of {self.path}: {old[0]}")
            rest = text[found[0].start():found[0].end()].split("\n")[-1].strip()[len(old[-1]):]
            replaced = "\n".join(new).replace("FAULT", f"mutant({self.number})") + rest
            text = text[:found[0].start()] + replaced + text[found[0].end():]
        return text


def read_faults():
    faults = []
    for entry in re.split(r"\n\s*\n", mutants.read(os.path.join(mutants.ROOT, LIST))):
        lines = [line for line in entry.splitlines() if not line.startswith("#")]
        if len(lines) < 4:
            continue
        changes, last = [], "+"
        for line in lines[2:]:
            sign, text = line[0], line[2:]
            if sign == "-" and last == "+":
                changes.append(([], []))
            changes[-1][0 if sign == "-" else 1].append(text)
            last = sign
        faults.append(Fault(len(faults) + 1, lines[0], lines[1], changes))
    return faults


def write_tree(faults):
    changed = {fault.path for fault in faults}
    targets = sorted({module(path) for path in changed})
    written = set()
    for path in mutants.project_files():
        with open(os.path.join(mutants.ROOT, path), "rb") as file:
            data = file.read()
        if path == "Package.swift":
            text = data.decode().replace(".treatAllWarnings(as: .error),", "")
            data = (text + mutants.PACKAGE % str(targets).replace("'", '"')).encode()
        elif path in changed:
            text = data.decode()
            for fault in faults:
                if fault.path == path:
                    text = fault.apply(text)
            data = ("import CMutants; import Threads; " + text).encode()
        mutants.write_if_changed(os.path.join(TREE, path), data)
        written.add(path)
    for path, text in [("Sources/CMutants/include/CMutants.h", mutants.HEADER), ("Sources/CMutants/CMutants.c", mutants.SOURCE)]:
        mutants.write_if_changed(os.path.join(TREE, path), text.encode())
    return targets


def module(path):
    folder, name = path.split("/")[:2]
    return name


def build():
    environment = dict(os.environ, QUIRE_TARGETS=TEST_TARGET)
    outcome = subprocess.run(
        ["swift", "build", "--build-tests", *shlex.split(os.environ.get("QUIRE_BUILD_FLAGS", ""))], cwd=TREE, env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    if outcome.returncode:
        print("\n".join(line for line in outcome.stdout.splitlines() if "error:" in line))
        raise SystemExit("faults: the copy can't be built.")


def find(fault, orders):
    """Runs the orders with a fault; without one if it is `None`. Returns the first line that tells of a failure, or an empty text."""
    environment = dict(
        os.environ, QUIRE_SEED="1", QUIRE_EFFORT=str(orders / 5000), SWIFT_BACKTRACE="enable=no", NO_COLOR="1",
        QUIRE_MUTANT=str(fault.number if fault else -1))
    try:
        outcome = subprocess.run(
            [PROGRAM, "--testing-library", "swift-testing", "--filter", f"^{re.escape(SUITE)}"], cwd=TREE, env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired:
        return "a run that never ends"
    text = re.sub(r"\x1b\[[0-9;]*m", "", outcome.stdout)
    if outcome.returncode == 0:
        return ""
    number = re.search(r"number (\d+)", text)
    reason = re.search(r"problems → \[\"(.*?)\"[,\]]|recorded an issue[^\n]*: ([^\n]*)|(Fatal error[^\n]*)", text)
    found = next((part for part in reason.groups() if part), "") if reason else f"status {outcome.returncode}"
    return f"order {number.group(1)}: {found}" if number else found or "a crash"


def main():
    parser = argparse.ArgumentParser(prog="./run faults")
    parser.add_argument("--only", help="the numbers of the faults, separated by commas")
    parser.add_argument("--orders", type=int, default=1000, help="the number of orders in which a fault must show itself")
    options = parser.parse_args()
    faults = read_faults()
    os.makedirs(TREE, exist_ok=True)
    write_tree(faults)
    print(f"faults: builds the tests with {len(faults)} faults", flush=True)
    build()
    found = find(None, options.orders)
    if found:
        raise SystemExit(f"faults: the tests fail without a fault: {found}")
    if options.only:
        numbers = {int(number) for number in options.only.split(",")}
        faults = [fault for fault in faults if fault.number in numbers]
    missed = 0
    for fault in faults:
        found = find(fault, options.orders)
        missed += not found
        print(f"{fault.number} {fault.name}: {found[:160] or 'NOT FOUND'}", flush=True)
    print(f"faults: {len(faults) - missed} of {len(faults)} found within {options.orders} orders")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
