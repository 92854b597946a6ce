"""Runs the searches for faults in turn for some hours, and adds the cases and findings of each to docs/campaigns.md.

Each search begins at a seed of its own, which the ledger names. A search that finds something leaves its log in .build/campaigns.
"""

import argparse
import datetime
import os
import random
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LEDGER = os.path.join(ROOT, "docs/campaigns.md")
LOGS = os.path.join(ROOT, ".build/campaigns")


class Search:
    """A kind of search: its command for a time and a seed, and the pattern by which it prints its cases: a number and a name."""

    def __init__(self, name, share, command, tried=r"tried: (\d+) ([^\n]+)"):
        self.name, self.share, self.command, self.tried = name, share, command, tried

    def counts(self, text):
        """Returns the numbers of cases that a search has tried, in words."""
        counts = {}
        for number, name in re.findall(self.tried, text):
            counts[name] = counts.get(name, 0) + int(number)
        return ", ".join(f"{count:,} {name}" for name, count in counts.items()) or "nothing"


def tests(suite, per_effort):
    """Returns the command that runs a suite with as much random work as fits into a time.

    `per_effort` is the number of seconds that the full work takes on two idle cores.
    """
    def command(seconds, seed):
        return ["env", f"QUIRE_EFFORT={max(1.01, seconds / per_effort):.2f}", f"QUIRE_SEED={seed}", "./run", "test", suite]
    return command


SEARCHES = [
    Search("orders", 0.3, tests("InterleavingTests", 400)),
    Search("exchange", 0.15, tests("ExchangeTests.ReplicaRandomTests", 120)),
    Search(
        "attack", 0.25, lambda seconds, seed: ["./run", "attack", "--minutes", f"{seconds / 60:.2f}", "--seed", str(seed)],
        r"(?m)^attack: (\d+) (cases)"),
    Search(
        "isolation", 0.1, lambda seconds, seed: ["./run", "isolation", "--seconds", str(int(seconds / 12)), "--seed", str(seed)],
        r"(\d+) (histories)"),
    Search("fuzz", 0.2, lambda seconds, seed: ["./run", "fuzz", str(max(2, int(seconds / 20)))], r"Fuzz: (\d+) (inputs)"),
]


def commit():
    return subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def run(search, seconds):
    """Runs a search and returns its row of the ledger, and whether it found nothing."""
    seed = random.randrange(1, 1_000_000_000)
    command = search.command(seconds, seed)
    print(f"campaigns: {search.name}, about {seconds / 60:.0f} min: {' '.join(command)}", flush=True)
    outcome = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    # The tests print into a log of their own.
    text = outcome.stdout
    tests_log = os.path.join(ROOT, ".build/tests.log")
    if "test" in command and os.path.exists(tests_log):
        with open(tests_log, encoding="utf-8", errors="replace") as file:
            text += file.read()
    log = os.path.join(LOGS, f"{search.name}-{seed}.log")
    with open(log, "w", encoding="utf-8") as file:
        file.write(text)
    is_fine = outcome.returncode == 0
    found = "nothing" if is_fine else f"see `.build/campaigns/{os.path.basename(log)}`"
    row = (f"| {datetime.date.today()} | {commit()} | {search.name} | {seed if 'fuzz' not in command else '—'} "
           f"| {search.counts(text)} | {found} |")
    print(row, flush=True)
    return row, is_fine


def main():
    parser = argparse.ArgumentParser(prog="./run campaigns")
    parser.add_argument("--hours", type=float, default=1)
    parser.add_argument("--only", help="the names of the searches, separated by commas: " + ", ".join(s.name for s in SEARCHES))
    options = parser.parse_args()
    names = options.only.split(",") if options.only else [search.name for search in SEARCHES]
    searches = [search for search in SEARCHES if search.name in names]
    if not searches:
        parser.error("no search has that name")
    os.makedirs(LOGS, exist_ok=True)
    whole = sum(search.share for search in searches)
    end, all_fine = time.monotonic() + options.hours * 3600, True
    # A turn of all searches takes at most an hour, so that a night has several with seeds of their own.
    while True:
        left = end - time.monotonic()
        for search in searches:
            row, is_fine = run(search, min(left, 3600) * search.share / whole)
            all_fine = all_fine and is_fine
            with open(LEDGER, "a", encoding="utf-8") as file:
                file.write(row + "\n")
        if time.monotonic() + 60 > end:
            return 0 if all_fine else 1


if __name__ == "__main__":
    sys.exit(main())
