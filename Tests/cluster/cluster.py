#!/usr/bin/env python3
"""Kills the primary of a PostgreSQL cluster while programs save, and looks for saves that are lost or count twice."""

import argparse
import collections
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

from nodes import START_LIMIT, Cluster

WRITERS = 4


class Writer:
    """A program that saves one object after the other, and writes the number of each confirmed save into a file."""

    def __init__(self, program, address, number, folder):
        self.confirmations = f"{folder}/confirmed-{number}"
        self.errors = f"{folder}/errors-{number}"
        with open(self.errors, "w") as errors:
            self.process = subprocess.Popen([program, "write", address, str(number), self.confirmations],
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True)

    def confirmed(self):
        try:
            with open(self.confirmations) as file:
                return [int(line) for line in file]
        except FileNotFoundError:
            return []

    def end(self):
        """Ends the program, and returns its summary."""
        out, _ = self.process.communicate("", timeout=START_LIMIT)
        if self.process.returncode != 0:
            raise SystemExit(f"cluster: a writer ended with exit code {self.process.returncode}:\n{self.last_errors()}")
        return json.loads(out)

    def last_errors(self):
        with open(self.errors) as file:
            return "".join(file.readlines()[-10:])


def wait_for_saves(writers):
    """Waits until each writer has saved again, and returns the seconds."""
    start = time.monotonic()
    before = [len(writer.confirmed()) for writer in writers]
    # One save may have been under way.
    while any(len(writer.confirmed()) < count + 2 for writer, count in zip(writers, before)):
        ended = next((writer for writer in writers if writer.process.poll() is not None), None)
        if ended or time.monotonic() > start + START_LIMIT:
            raise SystemExit("cluster: a writer does not go on:\n" + "".join(w.last_errors() for w in writers))
        time.sleep(0.1)
    return time.monotonic() - start


def kill_primary(cluster, writers, number):
    """Kills the primary. Every second time Patroni survives, and starts the server again at the same place."""
    node = cluster.primary()
    only_server = number % 2 == 1
    cluster.kill(node, only_server)
    kind = "the server" if only_server else "server and Patroni"
    if not only_server:
        cluster.wait_for_primary(15)
        cluster.start_node(node)
    seconds = wait_for_saves(writers)
    cluster.wait_until_healthy()
    print(f"cluster: kill {number + 1}: {kind} on {node.name}, then {cluster.primary().name} saves", flush=True)
    return seconds


def read(program, address):
    """Returns the numbers of all saves in the store, and for each writer the counts of its saves."""
    out = subprocess.run([program, "read", address], check=True, stdout=subprocess.PIPE, text=True).stdout
    lines = [line.split() for line in out.splitlines()]
    saves = collections.Counter(int(words[1]) for words in lines if words[0] == "save")
    return saves, [tuple(map(int, words[1:])) for words in lines if words[0] == "writer"]


def judge(program, cluster, writers):
    """Returns the numbers of lost and double saves, as each node shows them."""
    confirmed = [number for writer in writers for number in writer.confirmed()]
    lost = twice = 0
    for node in cluster.nodes:
        ends = time.monotonic() + 10
        while True:
            saves, counts = read(program, cluster.address([node], session="any"))
            missing = sum(1 for number in confirmed if number not in saves)
            # The node that no save waits for may be behind.
            if not missing or time.monotonic() > ends:
                break
        lost += missing
        twice += sum(1 for count in saves.values() if count > 1)
        # A writer counts each save once.
        twice += sum(abs(count - found) for _, count, found in counts)
        if len(counts) != len(writers):
            raise SystemExit(f"cluster: {node.name} shows {len(counts)} writers instead of {len(writers)}")
    return lost, twice


def messages(writers):
    """Returns the errors that writers met, without numbers and the words of PostgreSQL, with the number of times."""
    found = collections.Counter()
    for writer in writers:
        with open(writer.errors) as file:
            for line in file:
                words = line.split(": ", 1)[-1].split(" PostgreSQL: ")[0].strip()
                found[re.sub(r"\d+", "#", words)] += 1
    return found


def trial(program, kills):
    cluster = Cluster()
    try:
        cluster.start()
        address = cluster.address()
        subprocess.run([program, "create", address], check=True)
        writers = [Writer(program, address, number, cluster.folder) for number in range(1, WRITERS + 1)]
        wait_for_saves(writers)
        for number in range(kills):
            time.sleep(random.uniform(0.5, 2))
            kill_primary(cluster, writers, number)
        summaries = [writer.end() for writer in writers]
        for message, count in messages(writers).most_common():
            print(f"cluster: {count} times: {message}")
        lost, twice = judge(program, cluster, writers)
    finally:
        cluster.stop()
    def total(name):
        return sum(summary[name] for summary in summaries)
    rows = [("kills", kills), ("confirmed saves", total("confirmed")),
            ("saves that failed, and were repeated", total("repeated")),
            ("saves that were uncertain, and counted", f"{total('uncertain')}, {total('uncertainCounted')}"),
            ("longest pause of a writer", f"{max(summary['longestPause'] for summary in summaries):.1f} s"),
            ("lost saves", lost), ("saves that count twice", twice)]
    for name, value in rows:
        print(f"| {name} | {value} |")
    return lost == twice == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kills", type=int)
    parser.add_argument("--program", default=".build/debug/cluster-writer")
    arguments = parser.parse_args()
    # The cluster is stopped on SIGTERM, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if not trial(os.path.abspath(arguments.program), arguments.kills):
        raise SystemExit("cluster: saves are lost, or count twice")


if __name__ == "__main__":
    main()
