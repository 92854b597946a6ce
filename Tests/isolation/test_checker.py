#!/usr/bin/env python3
"""Tests of the checker: histories with one anomaly each, histories without any, and stores that are simulated."""

import random
import unittest

from checker import LEVELS, check


def transaction(name, *ops, outcome="ok", begin=None, end=None, last=False):
    record = {"id": name, "outcome": outcome, "ops": [list(op) for op in ops], "last": last}
    if begin is not None:
        record |= {"begin": begin, "end": end}
    return record


def r(key, value):
    return ("r", key, value)


def w(key, value):
    return ("w", key, value)


def a(key, value):
    return ("append", key, value)


# For each history the anomalies that it shows and its level.
HISTORIES = {
    "nothing": ([], {}, "serializable"),
    "one after another": (
        [transaction("T1", r("x", []), a("x", 1)), transaction("T2", r("x", [1]), a("x", 2), r("x", [1, 2])),
         transaction("T3", r("x", [1, 2]))], {}, "serializable"),
    "registers one after another": (
        [transaction("T1", r("x", None), w("x", 1)), transaction("T2", r("x", 1), w("x", 2), r("x", 2)),
         transaction("T3", r("x", 2))], {}, "serializable"),
    "G0, writes of two transactions that cross": (
        [transaction("T1", a("x", 1), a("y", 1)), transaction("T2", a("x", 2), a("y", 2)),
         transaction("T3", r("x", [1, 2])), transaction("T4", r("y", [2, 1]))], {"G0"}, "none"),
    "G1a, a read of a save that failed": (
        [transaction("T1", a("x", 1), outcome="fail"), transaction("T2", r("x", [1]))], {"G1a"}, "read uncommitted"),
    "G1a of a register": (
        [transaction("T1", r("x", None), w("x", 1), outcome="fail"), transaction("T2", r("x", 1))], {"G1a"},
        "read uncommitted"),
    "G1a, a value from nowhere": ([transaction("T1", r("x", [7]))], {"G1a"}, "read uncommitted"),
    "G1b, a read in the middle of a transaction": (
        [transaction("T1", a("x", 1), a("x", 2)), transaction("T2", r("x", [1])), transaction("T3", r("x", [1, 2]))],
        {"G1b", "G-single"}, "read uncommitted"),
    "G1b of a register": (
        [transaction("T1", r("x", None), w("x", 1), w("x", 2)), transaction("T2", r("x", 1))], {"G1b"}, "read uncommitted"),
    "G1c, two transactions that read each other": (
        [transaction("T1", a("x", 1), r("y", [2])), transaction("T2", a("y", 2), r("x", [1]))], {"G1c"}, "read uncommitted"),
    "lost update of a register": (
        [transaction("T1", r("x", None), w("x", 1)), transaction("T2", r("x", None), w("x", 2)), transaction("T3", r("x", 2))],
        {"lost update", "G2-item"}, "read committed"),
    "lost update of a list, where both elements stay": (
        [transaction("T1", r("x", []), a("x", 1)), transaction("T2", r("x", []), a("x", 2)), transaction("T3", r("x", [1, 2]))],
        {"lost update"}, "read committed"),
    "a lost element": (
        [transaction("T1", r("x", []), a("x", 1)), transaction("T2", r("x", []), a("x", 2)),
         transaction("T3", r("x", [2]), last=True)], {"lost write"}, "none"),
    "two orders of a list": (
        [transaction("T1", r("x", []), a("x", 1)), transaction("T2", r("x", []), a("x", 2)), transaction("T3", r("x", [1])),
         transaction("T4", r("x", [2]))], {"incompatible order"}, "none"),
    "an element that is there twice": (
        [transaction("T1", a("x", 1)), transaction("T2", r("x", [1, 1]))], {"duplicate"}, "none"),
    "G-single, a read before and a read after another save": (
        [transaction("T1", r("x", []), r("y", [1])), transaction("T2", a("x", 2), a("y", 1)), transaction("T3", r("x", [2]))],
        {"G-single"}, "read committed without lost updates"),
    "G-single, one object twice": (
        [transaction("T1", r("x", []), r("x", [1])), transaction("T2", a("x", 1))], {"G-single"},
        "read committed without lost updates"),
    "G-single, a change of what was read the second time": (
        [transaction("T1", r("x", None), r("x", 2), w("x", 3)), transaction("T2", r("x", None), w("x", 2))], {"G-single"},
        "read committed without lost updates"),
    "G-nonadjacent, a long fork": (
        [transaction("T1", r("x", None), w("x", 1)), transaction("T2", r("y", None), w("y", 1)),
         transaction("T3", r("x", 1), r("y", None)), transaction("T4", r("x", None), r("y", 1))], {"G-nonadjacent"},
        "read committed without lost updates"),
    "G2-item, write skew of registers": (
        [transaction("T1", r("x", None), r("y", None), w("x", 1)), transaction("T2", r("x", None), r("y", None), w("y", 2))],
        {"G2-item"}, "snapshot isolation"),
    "G2-item, write skew of lists": (
        [transaction("T1", r("x", []), r("y", []), a("x", 1)), transaction("T2", r("x", []), r("y", []), a("y", 2)),
         transaction("T3", r("x", [1]), r("y", [2]))], {"G2-item"}, "snapshot isolation"),
    "G2-item of three": (
        [transaction("T1", r("x", None), r("y", None), w("x", 1)), transaction("T2", r("y", None), r("z", None), w("y", 2)),
         transaction("T3", r("z", None), r("x", None), w("z", 3))], {"G2-item"}, "snapshot isolation"),
    "a transaction that does not see its own write": (
        [transaction("T1", a("x", 1), r("x", []))], {"internal"}, "none"),
    "an unknown save that nobody has seen": (
        [transaction("T1", r("x", []), a("x", 1), outcome="unknown"), transaction("T2", r("x", []))], {}, "serializable"),
    "an unknown save that counts": (
        [transaction("T1", r("x", []), a("x", 1), outcome="unknown"), transaction("T2", r("x", [1])),
         transaction("T3", r("x", []), a("x", 2)), transaction("T4", r("x", [1, 2]))], {"lost update"}, "read committed"),
    "a read that is stale in real time": (
        [transaction("T1", r("x", None), w("x", 1), begin=0, end=10), transaction("T2", r("x", None), begin=20, end=30)],
        {"G-single"}, "read committed without lost updates"),
    "a read of the former value during a save that another read has seen": (
        [transaction("T1", r("x", None), w("x", 1), begin=0, end=50), transaction("T2", r("x", 1), begin=10, end=20),
         transaction("T3", r("x", None), begin=30, end=40)], {}, "serializable"),
    "a stale read after two saves": (
        [transaction("T1", r("x", None), w("x", 1), begin=0, end=10), transaction("T2", r("y", None), w("y", 2), begin=15, end=20),
         transaction("T3", r("y", 2), begin=21, end=29), transaction("T4", r("x", None), begin=30, end=40)], {"G-single"},
        "read committed without lost updates"),
    "a read of the former value during the save": (
        [transaction("T1", r("x", None), w("x", 1), begin=0, end=25), transaction("T2", r("x", None), begin=20, end=30)], {},
        "serializable"),
}


class SimulatedStore:
    """A store with versions, whose transactions take their steps in turns at random. `level` says what a save checks."""

    def __init__(self, level, seed):
        self.level, self.random = level, random.Random(seed)
        self.commits = [{}]  # The state after each commit: for each key a list or a number.
        self.changed = [set()]
        self.time = self.written = 0
        self.records = []

    def run(self, count, clients):
        active = [self.work(client) for client in range(clients)]
        while len(self.records) < count:
            next(self.random.choice(active))
        self.records = self.records[:count]
        final = self.commits[-1]
        ops = [r(key, final.get(key, self.initial(key))) for key in KEYS]
        self.records.append(transaction("last", *ops, begin=self.now(), end=self.now(), last=True))
        return self.records

    def now(self):
        self.time += 1
        return self.time

    @staticmethod
    def initial(key):
        return [] if key.startswith("list") else None

    def work(self, client):
        for number in range(1_000_000):
            begin, start = self.now(), len(self.commits) - 1
            ops, own, read = [], {}, set()
            for _ in range(self.random.randint(1, 4)):
                yield
                key = self.random.choice(KEYS)
                if self.level in ("snapshot", "serializable"):
                    base = start
                else:
                    base = len(self.commits) - 1
                value = own.get(key, self.commits[base].get(key, self.initial(key)))
                read.add(key)
                ops.append(r(key, value))
                if self.random.random() < 0.5:
                    self.written += 1
                    is_list = isinstance(value, list)
                    ops.append(a(key, self.written) if is_list else w(key, self.written))
                    own[key] = [*value, self.written] if is_list else self.written
            yield
            later = set().union(*self.changed[start + 1:])
            checked = {"none": set(), "snapshot": own.keys(), "serializable": own.keys() | read}
            # Reads of the newest state with a check of the written objects, as a context that fetches in between.
            refused = later & checked.get(self.level, own.keys())
            if not refused:
                self.commits.append(self.commits[-1] | own)
                self.changed.append(set(own))
            self.records.append(transaction(f"{client}.{number}", *ops, outcome="fail" if refused else "ok", begin=begin,
                                            end=self.now()))


KEYS = ["list 0", "list 1", "number 0", "number 1"]
PROMISED = {"none": "none", "advancing": "read committed without lost updates", "snapshot": "snapshot isolation",
            "serializable": "serializable"}


class CheckerTests(unittest.TestCase):
    def test_histories(self):
        """Each history shows its anomalies and no others."""
        for name, (records, anomalies, level) in HISTORIES.items():
            with self.subTest(name):
                verdict = check(records)
                self.assertEqual(set(verdict.counts()), set(anomalies))
                self.assertEqual(verdict.level(), level)

    def test_order(self):
        """The order of the records makes no difference."""
        for name, (records, anomalies, _) in HISTORIES.items():
            with self.subTest(name):
                self.assertEqual(set(check(records[::-1]).counts()), set(anomalies))

    def test_double_write(self):
        """A history in which two operations write the same value can not be judged."""
        with self.assertRaises(ValueError):
            check([transaction("T1", a("x", 1)), transaction("T2", a("x", 1))])

    def test_simulated_stores(self):
        """A store that is simulated has its level, and some history shows that it has no higher one."""
        for kind, promised in PROMISED.items():
            levels = [check(SimulatedStore(kind, seed).run(150, 6)).level() for seed in range(40)]
            with self.subTest(kind):
                self.assertEqual(min(levels, key=LEVELS.index), promised)

    def test_one_anomaly_among_many(self):
        """One wrong read in a long history is found."""
        for seed in range(30):
            records = SimulatedStore("serializable", seed).run(300, 6)
            reads = [(record, op) for record in records[:-1] for op in record["ops"]
                     if record["outcome"] == "ok" and op[0] == "r" and isinstance(op[2], list) and len(op[2]) > 2
                     and not any(one[0] == "append" for one in record["ops"])]
            record, op = random.Random(seed).choice(reads)
            op[2] = op[2][:-2]
            with self.subTest(seed=seed, transaction=record["id"]):
                self.assertNotEqual(check(records).level(), "serializable")


if __name__ == "__main__":
    unittest.main()
