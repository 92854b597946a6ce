#!/usr/bin/env python3
"""Judges recorded transactions: finds the anomalies of isolation that they show, and names the level that they leave.

A history is a list of transactions. Each is a dictionary:

    {"id": "7.1", "begin": 10, "end": 20, "outcome": "ok",
     "ops": [["r", "list 0", [3, 5]], ["append", "list 0", 8], ["r", "number 1", 4], ["w", "number 1", 9]]}

The outcome is `ok`, `fail` or `unknown`. A key is read as a list and changed by `append`, or it is read as one value and
changed by `w`. No two operations of a history write the same value, so each value read names the transaction that wrote it.
A transaction with `"last": true` has read every key after all others had ended.

The names of the anomalies are those of Adya, Liskov and O'Neil, "Generalized Isolation Level Definitions" (2000). Transactions
are the nodes of a graph. An edge from T to U means that U must come after T in every serial order that explains the history:

    ww   U overwrote what T wrote, or appended to it
    wr   U read what T wrote
    rw   U overwrote what T read
    rt   T, which has written, had ended before U began

Each cycle is an anomaly. Its kind depends on the edges that it needs. A cycle of `rt` edges needs none of the data, so it can not
occur; a cycle with some of them shows a read that is stale in real time.
"""

import argparse
import bisect
import collections
import json
import sys

# From the worst to the mildest. A level permits the anomalies after its own entry.
ANOMALIES = ["internal", "duplicate", "incompatible order", "lost write", "G0", "G1a", "G1b", "G1c", "lost update", "G-single",
             "G-nonadjacent", "G2-item"]
# The strongest level that a history with an anomaly can have. `None` means that the history has no level.
LEVEL_LEFT = {"G1a": "read uncommitted", "G1b": "read uncommitted", "G1c": "read uncommitted", "lost update": "read committed",
              "G-single": "read committed without lost updates", "G-nonadjacent": "read committed without lost updates",
              "G2-item": "snapshot isolation"}
LEVELS = ["none", "read uncommitted", "read committed", "read committed without lost updates", "snapshot isolation",
          "serializable"]


class Verdict:
    """The anomalies of a history: for each kind the examples that were found."""

    def __init__(self):
        self.found = collections.defaultdict(list)
        self.transactions = 0

    def add(self, kind, *details):
        self.found[kind].append(details)

    def counts(self):
        return {kind: len(self.found[kind]) for kind in ANOMALIES if kind in self.found}

    def level(self):
        """Returns the strongest level that permits all anomalies of the history."""
        left = [LEVEL_LEFT.get(kind, "none") for kind in self.found]
        return min(left, key=LEVELS.index, default="serializable")


class Transaction:
    def __init__(self, record):
        self.id = record["id"]
        self.begin = record.get("begin", 0)
        self.outcome = record.get("outcome", "unknown")
        # The end of a transaction of unknown outcome may come at any later time.
        self.end = record.get("end", float("inf")) if self.outcome == "ok" else float("inf")
        self.ops = record["ops"]
        self.is_last = record.get("last", False)
        # By key: the written values in their order, and the values read that this transaction had not written.
        self.writes = collections.defaultdict(list)
        self.reads = collections.defaultdict(list)

    def __repr__(self):
        return self.id


def interpret(transaction, verdict):
    """Collects the reads and writes of a transaction, and checks that it sees its own writes."""
    for kind, key, value in transaction.ops:
        own = transaction.writes[key]
        if kind in ("append", "w"):
            own.append(value)
        elif isinstance(value, list):
            if value[len(value) - len(own):] != own:
                verdict.add("internal", transaction, key, value, own)
            else:
                transaction.reads[key].append(value[:len(value) - len(own)])
        elif own:
            if value != own[-1]:
                verdict.add("internal", transaction, key, value, own)
        else:
            transaction.reads[key].append(value)


class Graph:
    """The edges between transactions, each with its kinds and the key that makes it."""

    def __init__(self):
        self.edges = collections.defaultdict(dict)

    def add(self, source, target, kind, key=None):
        if source is not target and source is not None and target is not None:
            self.edges[source].setdefault(target, {}).setdefault(kind, key)

    def next(self, node, kinds):
        return [target for target, found in self.edges.get(node, {}).items() if not kinds.isdisjoint(found)]

    def components(self, kinds):
        """Returns the strongly connected components with more than one transaction: Tarjan's algorithm, without recursion."""
        index, low, on_stack, stack, found = {}, {}, set(), [], []
        for root in list(self.edges):
            if root in index:
                continue
            work = [(root, iter(self.next(root, kinds)))]
            index[root] = low[root] = len(index)
            stack.append(root)
            on_stack.add(root)
            while work:
                node, targets = work[-1]
                for target in targets:
                    if target not in index:
                        index[target] = low[target] = len(index)
                        stack.append(target)
                        on_stack.add(target)
                        work.append((target, iter(self.next(target, kinds))))
                        break
                    if target in on_stack:
                        low[node] = min(low[node], index[target])
                else:
                    work.pop()
                    if work:
                        low[work[-1][0]] = min(low[work[-1][0]], low[node])
                    if low[node] == index[node]:
                        component = set()
                        while node not in component:
                            component.add(stack.pop())
                        on_stack -= component
                        if len(component) > 1:
                            found.append(component)
        return found

    def path(self, start, end, kinds, inside):
        """Returns a shortest path between two transactions of a component, or None.

        A transaction that began after the end of the last one can not be on the way to it: nothing before a commit depends on
        what begins after it. So a search looks at few of many thousand transactions.
        """
        before = {start: None}
        queue = collections.deque([start])
        while queue:
            node = queue.popleft()
            if node is end:
                path = [end]
                while before[path[-1]] is not None:
                    path.append(before[path[-1]])
                return path[::-1]
            for target in self.next(node, kinds):
                if target in inside and target not in before and target.begin <= end.end:
                    before[target] = node
                    queue.append(target)
        return None

    def path_without_adjacent(self, start, end, inside):
        """Returns a path that continues an `rw` edge to `start` and precedes one from `end`, without two of them in a row.

        A closed walk of this kind always contains a simple cycle of this kind: where the walk meets itself, one of its two
        parts has no two `rw` edges at the meeting.
        """
        first = (start, True)
        before = {first: None}
        queue = collections.deque([first])
        while queue:
            state = queue.popleft()
            node, came_by_rw = state
            if node is end and not came_by_rw:
                path = [state]
                while before[path[-1]] is not None:
                    path.append(before[path[-1]])
                return [one for one, _ in reversed(path)]
            for target, found in self.edges.get(node, {}).items():
                if target not in inside or target.begin > end.end:
                    continue
                steps = [(target, False)] if found.keys() - {"rw"} else []
                if "rw" in found and not came_by_rw:
                    steps.append((target, True))
                for step in steps:
                    if step not in before:
                        before[step] = state
                        queue.append(step)
        return None


def order_of_list(key, transactions, verdict):
    """Returns the elements of a list in the order in which they were appended: the longest list that was read."""
    reads = [read for one in transactions for read in one.reads[key] if isinstance(read, list)]
    order = max(reads, key=len, default=[])
    for read in reads:
        if read != order[:len(read)]:
            verdict.add("incompatible order", key, read, order)
        if len(set(read)) < len(read):
            verdict.add("duplicate", key, read)
    return order


def followers_of_values(key, transactions):
    """Returns for each value of a register the transactions that read it and then replaced it, with the value that they wrote."""
    followers = collections.defaultdict(list)
    for one in transactions:
        if one.writes[key] and one.reads[key]:
            followers[one.reads[key][-1]].append((one, one.writes[key][-1]))
    return followers


def check(records, realtime=True):
    """Returns the verdict about a history."""
    verdict = Verdict()
    everything = [Transaction(record) for record in records]
    writers = {}
    for one in everything:
        interpret(one, verdict if one.outcome == "ok" else Verdict())
        for key, values in one.writes.items():
            for value in values:
                if (key, value) in writers:
                    raise ValueError(f"the value {value} of {key} is written twice")
                writers[key, value] = one
    # A transaction of unknown outcome counts if a transaction that counts has read its writes.
    counted = {one for one in everything if one.outcome == "ok"}
    waiting = list(counted)
    while waiting:
        one = waiting.pop()
        for key, reads in one.reads.items():
            for read in reads:
                for value in read if isinstance(read, list) else [read]:
                    writer = writers.get((key, value))
                    if writer and writer.outcome == "unknown" and writer not in counted:
                        counted.add(writer)
                        waiting.append(writer)
    transactions = [one for one in everything if one in counted]
    verdict.transactions = len(transactions)
    graph = Graph()
    find_bad_reads(transactions, writers, verdict)
    for key in sorted({key for one in everything for key in list(one.reads) + list(one.writes)}):
        is_list = any(op[0] == "append" or isinstance(op[2], list) for one in everything for op in one.ops if op[1] == key)
        (add_list if is_list else add_register)(graph, key, transactions, writers, verdict)
    if realtime:
        add_real_time(graph, transactions)
    find_cycles(graph, verdict)
    return verdict


def find_bad_reads(transactions, writers, verdict):
    """Finds reads of values that were never saved, or that no finished transaction leaves behind."""
    for one in transactions:
        for key, reads in one.reads.items():
            for read in reads:
                values = read if isinstance(read, list) else [read] if read is not None else []
                for value in values:
                    writer = writers.get((key, value))
                    if writer is None or writer.outcome == "fail":
                        verdict.add("G1a", one, key, value, writer)
                # The last element of a list, or the value, must be the last one that its writer wrote.
                writer = writers.get((key, values[-1])) if values else None
                if writer and writer is not one and writer.writes[key][-1] != values[-1]:
                    verdict.add("G1b", one, key, values[-1], writer)


def add_list(graph, key, transactions, writers, verdict):
    order = order_of_list(key, transactions, verdict)
    place = {value: index for index, value in enumerate(order)}
    sources = [writers.get((key, value)) for value in order]
    for before, after in zip(sources, sources[1:]):
        graph.add(before, after, "ww", key)
    has_last = any(one.is_last for one in transactions)
    for one in transactions:
        for read in one.reads[key]:
            if read:
                graph.add(writers.get((key, read[-1])), one, "wr", key)
            # The next element may be the transaction's own; then the edge to it is the edge after it.
            following = next((source for source in sources[len(read):] if source is not one), None)
            graph.add(one, following, "rw", key)
        for value in one.writes[key]:
            if value not in place and has_last and one.outcome == "ok":
                verdict.add("lost write", one, key, value)


def add_register(graph, key, transactions, writers, verdict):
    followers = followers_of_values(key, transactions)
    for value, all_following in followers.items():
        if len(all_following) > 1:
            verdict.add("lost update", key, value, [one for one, _ in all_following])
        for one, _ in all_following:
            graph.add(writers.get((key, value)), one, "ww", key)
    for one in transactions:
        for value in one.reads[key]:
            graph.add(writers.get((key, value)), one, "wr", key)
            for following, _ in followers.get(value, []):
                graph.add(one, following, "rw", key)


def add_real_time(graph, transactions):
    """Adds edges from each transaction with writes to all that began after its end, without edges that follow from further ones.

    A transaction that only reads may see a save of another process a moment before that save has ended, and before the contexts of
    the saving process see it.
    """
    savers = [one for one in transactions if any(one.writes.values())]
    by_begin = sorted(transactions, key=lambda one: one.begin)
    begins = [one.begin for one in by_begin]
    # The earliest end among the transactions from a position on: a later one follows from it.
    earliest = [float("inf")] * (len(by_begin) + 1)
    for index in reversed(range(len(by_begin))):
        is_saver = any(by_begin[index].writes.values())
        earliest[index] = min(earliest[index + 1], by_begin[index].end) if is_saver else earliest[index + 1]
    for one in savers:
        index = bisect.bisect_right(begins, one.end)
        limit = earliest[index]
        while index < len(by_begin) and by_begin[index].begin <= limit:
            graph.add(one, by_begin[index], "rt")
            index += 1


def has_not_seen(one, two, key):
    """Returns whether the last read of a key was before the write of another transaction."""
    last = one.reads[key][-1]
    return two.writes[key][-1] not in (last if isinstance(last, list) else [last])


def find_cycles(graph, verdict):
    """Adds one cycle of each kind for each set of transactions that are entangled by cycles."""
    def cycle(path, last):
        steps = [*path, path[0]]
        kinds = [sorted(graph.edges[one][two]) for one, two in zip(path, path[1:])] + [last]
        return [(one, kind) for one, kind in zip(steps, kinds)]

    def close(kinds, needed, name):
        for component in graph.components(kinds):
            for one in component:
                for two in graph.next(one, {needed}):
                    path = two in component and graph.path(two, one, kinds, component)
                    if path:
                        verdict.add(name, cycle(path, needed))
                        break
                else:
                    continue
                break

    close({"ww", "rt"}, "ww", "G0")
    close({"ww", "wr", "rt"}, "wr", "G1c")
    for component in graph.components({"ww", "wr", "rw", "rt"}):
        found = {}
        edges = [(one, two) for one in component for two in graph.next(one, {"rw"}) if two in component]
        for one, two in edges:
            path = graph.path(two, one, {"ww", "wr", "rt"}, component)
            if path:
                key = graph.edges[one][two]["rw"]
                # One transaction replaced a value of the second one, and had not read that value.
                is_lost = len(path) == 2 and graph.edges[two][one].get("ww") == key and has_not_seen(one, two, key)
                found.setdefault("lost update" if is_lost else "G-single", cycle(path, "rw"))
                continue
            path = graph.path_without_adjacent(two, one, component)
            if path:
                found.setdefault("G-nonadjacent", cycle(path, "rw"))
            elif "G2-item" not in found:
                path = graph.path(two, one, {"ww", "wr", "rw", "rt"}, component)
                if path:
                    found["G2-item"] = cycle(path, "rw")
        # Transactions with a worse anomaly usually have this one too.
        if len(found) > 1:
            found.pop("G2-item", None)
        for kind, example in found.items():
            verdict.add(kind, example)


def read_records(paths):
    """Reads the records of a history. A transaction is one line, or a line before its save and another one with its outcome."""
    transactions = {}
    for path in paths:
        with open(path) as file:
            for line in file:
                try:
                    record = json.loads(line)
                except ValueError:
                    # The process was killed while it wrote its last line.
                    continue
                transactions.setdefault(record["id"], {}).update(record)
    # A transaction without operations failed before it was recorded.
    return [record for record in transactions.values() if "ops" in record]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+", help="the records of one history, a transaction a line")
    parser.add_argument("--level", choices=LEVELS, default="serializable", help="the level that the history must have")
    arguments = parser.parse_args()
    verdict = check(read_records(arguments.files))
    for kind, examples in verdict.found.items():
        print(f"{kind}: {len(examples)}, such as {examples[0]}")
    print(f"{verdict.transactions} transactions: {verdict.level()}")
    sys.exit(LEVELS.index(verdict.level()) < LEVELS.index(arguments.level))


if __name__ == "__main__":
    main()
