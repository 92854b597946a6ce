"""Prints the modules that took the compiler longest, and the suites that ran longest, in the last run of the tests.

Usage: slowest.py FOLDER

FOLDER contains `stats`, the compiler's statistics of the modules that the last build compiled, and the report of
the tests, `tests-swift-testing.xml`.

Swift Testing begins all tests at once and then runs as many as there are cores, so the time of a test in the report is the
time from the begin of the run to the test's end. What passes between two ends is therefore charged to the later test. These
times add up to the length of the run.
"""

import collections
import json
import pathlib
import re
import sys
import xml.etree.ElementTree

COUNT = 10


def modules(folder):
    """Seconds of the processor for each module that was compiled."""
    seconds = collections.Counter()
    for path in folder.glob("stats-*-swift-frontend-*.json"):
        module = re.match(r"stats-\d+-swift-frontend-([^-]+)-", path.name)
        try:
            values = json.loads(path.read_text())
        except ValueError:
            continue  # The compiler was interrupted.
        seconds[module[1]] += sum(
            value for name, value in values.items()
            if name.startswith("time.swift-frontend.") and name.endswith((".user", ".sys")))
    return seconds


def suites(report):
    """Seconds of the run that were spent until a test of each suite ended."""
    seconds = collections.Counter()
    try:
        cases = xml.etree.ElementTree.parse(report).iter("testcase")
    except (FileNotFoundError, xml.etree.ElementTree.ParseError):
        return seconds  # No run has ended yet.
    before = 0.0
    for end, suite in sorted((float(case.get("time", 0)), case.get("classname")) for case in cases):
        seconds[suite] += end - before
        before = end
    return seconds


def table(title, seconds):
    if not seconds:
        return
    print(f"{title} ({sum(seconds.values()):.0f} s in all):")
    for name, value in seconds.most_common(COUNT):
        print(f"{value:8.1f} s  {name}")


if __name__ == "__main__":
    build = pathlib.Path(sys.argv[1])
    table("The slowest modules of this build", modules(build / "stats"))
    table("The slowest suites of this run", suites(build / "tests-swift-testing.xml"))
