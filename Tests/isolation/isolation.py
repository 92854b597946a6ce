#!/usr/bin/env python3
"""Records histories of contexts and processes over every store, with kills, full disks and killed servers, and judges them."""

import argparse
import collections
import glob
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cluster"))

from checker import LEVELS, check, read_records
from stores import all_stores

# For each kind of clients the numbers of processes and of contexts in each.
CLIENTS = {"contexts": (1, 8), "processes": (8, 1), "both": (4, 2)}
# How transactions read, and the level that docs/objects.md promises then.
PROMISED = {"fetching": "read committed without lost updates", "pinned": "snapshot isolation", "marked": "serializable"}
# A program that still runs after this many seconds hangs.
LIMIT = 60


class Row:
    """What was found about one store, with one kind of clients that read in one way."""

    def __init__(self, store, unit, mode):
        self.store, self.unit, self.mode = store, unit, mode
        self.histories = self.transactions = self.refused = self.unknown = 0
        self.faults = collections.Counter()
        self.anomalies = collections.Counter()
        self.levels = []

    def add(self, verdict, records, fault):
        self.histories += 1
        self.transactions += verdict.transactions
        self.refused += sum(1 for record in records if record.get("outcome") == "fail")
        self.unknown += sum(1 for record in records if record.get("outcome", "unknown") == "unknown")
        if fault:
            self.faults[fault] += 1
        self.anomalies.update(verdict.counts())
        self.levels.append(verdict.level())

    @property
    def level(self):
        return min(self.levels, key=LEVELS.index)

    def cells(self):
        faults = ", ".join(f"{count} {kind}" for kind, count in sorted(self.faults.items())) or "—"
        anomalies = ", ".join(f"{count} {kind}" for kind, count in self.anomalies.items()) or "—"
        processes, contexts = CLIENTS[self.unit]
        clients = f"{processes} × {contexts}" if self.unit == "both" else f"{processes * contexts} {self.unit}"
        return [self.store.name, clients, self.mode, self.histories, self.transactions, self.refused,
                self.unknown, faults, self.level, anomalies]


HEADS = ["store", "clients", "reads", "histories", "transactions", "refused", "unknown", "histories with", "level", "anomalies"]


def print_table(rows):
    table = [HEADS, *([str(cell) for cell in row.cells()] for row in rows)]
    widths = [max(len(line[column]) for line in table) for column in range(len(HEADS))]
    for number, line in enumerate(table):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |")
        if number == 0:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")


class Workers:
    """The programs that run the transactions of a history."""

    def __init__(self, program, store, address, unit, mode, seconds, seed, folder):
        self.command = [program, "work", store.kind, address, "--mode", mode, "--log", folder]
        self.environment = {**os.environ, **store.environment}
        self.seed, self.folder = seed, folder
        self.ends = time.monotonic() + seconds
        self.count = 0
        self.processes = []
        if store.kind == "memory":
            self.command.append("--whole")
        processes, self.contexts = CLIENTS[unit]
        for _ in range(processes):
            self.start()

    def start(self):
        # The contexts of a process have consecutive numbers.
        client = 1 + self.count * self.contexts
        self.count += 1
        left = max(0.1, self.ends - time.monotonic())
        with open(f"{self.folder}/errors-{client}", "w") as errors:
            self.processes.append(subprocess.Popen(
                [*self.command, "--contexts", str(self.contexts), "--client", str(client), "--seconds", f"{left:.2f}", "--seed",
                 str(self.seed)], env=self.environment, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors))

    def have_begun(self):
        """Returns whether each context has opened its records, and so the store before."""
        return len(glob.glob(f"{self.folder}/*.jsonl")) >= len(self.processes) * self.contexts

    def kill_one(self, chance):
        """Kills a process in the middle of its work, and starts another one."""
        victim = chance.choice(self.processes)
        victim.kill()
        victim.wait()
        self.processes.remove(victim)
        self.start()

    def wait(self):
        for process in self.processes:
            process.wait(timeout=LIMIT)
            if process.returncode != 0:
                raise SystemExit(f"isolation: a program ended with exit code {process.returncode}:\n{self.errors()}")

    def end(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
                process.wait()

    def errors(self):
        lines = []
        for path in sorted(glob.glob(f"{self.folder}/errors-*")):
            with open(path, errors="replace") as file:
                lines += file.readlines()[-5:]
        return "".join(lines)


def record(program, row, seconds, fault, seed, folder):
    """Records a history in a folder."""
    store, chance = row.store, random.Random(seed)
    address = store.new_address()
    environment = {**os.environ, **store.environment}
    if store.kind != "memory":
        subprocess.run([program, "make", store.kind, address], check=True, env=environment)
    workers = Workers(program, store, address, row.unit, row.mode, seconds, seed, folder)
    try:
        while fault and not workers.have_begun() and time.monotonic() < workers.ends + LIMIT:
            time.sleep(0.01)
        while fault and time.monotonic() < workers.ends:
            time.sleep(chance.uniform(0, 0.3))
            if fault == "kills":
                workers.kill_one(chance)
            else:
                store.harm(chance)
                time.sleep(chance.uniform(0.1, 0.4))
        workers.wait()
    finally:
        workers.end()
    if store.kind != "memory":
        with open(f"{folder}/last.jsonl", "w") as file:
            subprocess.run([program, "read", store.kind, address], check=True, env=environment, stdout=file)


def judge(program, row, seconds, fault, seed):
    """Records a history and judges it. Returns the folder of its records if the level is too low."""
    folder = tempfile.mkdtemp(prefix="quire-history-")
    record(program, row, seconds, fault, seed, folder)
    records = read_records(glob.glob(f"{folder}/*.jsonl"))
    verdict = check(records)
    row.add(verdict, records, fault)
    if LEVELS.index(verdict.level()) >= LEVELS.index(PROMISED[row.mode]):
        shutil.rmtree(folder)
        return None
    print(f"isolation: {row.store.name}, {row.unit}, {row.mode}, {fault or 'no fault'}, seed {seed}: {verdict.level()}, but "
          f"{PROMISED[row.mode]} is promised. To judge again: python3 Tests/isolation/checker.py {folder}/*.jsonl", flush=True)
    for kind, examples in verdict.found.items():
        print(f"isolation:   {kind}: {examples[0]}")
    return folder


def judge_store(program, store, arguments, seconds, chance):
    """Judges histories of a store until its time is over, each kind of clients and reads at least once."""
    rows = [Row(store, unit, mode) for unit in arguments.clients for mode in arguments.reads
            if store.kind != "memory" or unit == "contexts"]
    bad = []
    store.start()
    ends = time.monotonic() + seconds
    number = 0
    while number < len(rows) or time.monotonic() < ends:
        row = rows[number % len(rows)]
        # Every second history of each row has a fault.
        faults = store.faults(row.unit)
        fault = chance.choice(faults) if faults and number // len(rows) % 2 == (not arguments.quick) else None
        length = arguments.length * (3 if fault and "killed" in fault else 1)
        number += 1
        found = judge(program, row, length, fault, chance.randrange(1_000_000))
        if found:
            bad.append(found)
    return rows, bad


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="the time for all stores together")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--length", type=float, default=1.0, help="the seconds of a history")
    parser.add_argument("--stores", help="the names of stores, such as 'binary,PostgreSQL cluster'; all but the cluster by default")
    parser.add_argument("--clients", type=lambda text: text.split(","), default=list(CLIENTS), help="contexts, processes, both")
    parser.add_argument("--reads", type=lambda text: text.split(","), default=list(PROMISED), help="fetching, pinned, marked")
    parser.add_argument("--quick", action="store_true", help="one history of each kind, each with a fault")
    parser.add_argument("--products", default=".build/debug")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    chance = random.Random(arguments.seed)
    program = os.path.abspath(f"{arguments.products}/isolation-writer")
    stores = all_stores(os.path.abspath(arguments.products))
    names = arguments.stores.split(",") if arguments.stores else [one.name for one in stores if one.name != "PostgreSQL cluster"]
    unknown = set(names) - {one.name for one in stores}
    if unknown:
        raise SystemExit(f"isolation: there is no store {', '.join(sorted(unknown))}: {', '.join(one.name for one in stores)}")
    print(f"isolation: seed {arguments.seed}", flush=True)
    judged = [one for one in stores if one.name in names]
    rows, bad = [], []
    for store in judged:
        missing = store.missing()
        if missing:
            print(f"isolation: {store.name} is skipped: {missing}")
            continue
        try:
            found, worse = judge_store(program, store, arguments, 0 if arguments.quick else arguments.seconds / len(judged), chance)
        finally:
            store.end()
        rows += found
        bad += worse
        histories = sum(row.histories for row in found)
        print(f"isolation: {store.name}: {histories} histories are judged", flush=True)
    print_table(rows)
    histories = sum(row.histories for row in rows)
    if bad:
        raise SystemExit(f"isolation: {len(bad)} of {histories} histories have a lower level than promised")
    pinned = [row for row in rows if row.mode == "pinned"]
    if pinned and not any(row.level == "snapshot isolation" for row in pinned):
        raise SystemExit("isolation: no history shows write skew, although docs/isolation.md says that it occurs")
    print(f"isolation: {histories} histories have the promised levels, and some show write skew without marks")


if __name__ == "__main__":
    main()
