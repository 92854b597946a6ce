"""The folder of a remote (16.1): the graph of its versions (16.3), their tips (16.4.2), and a check of their identities (7.7.9)."""

import os

import contents
import pack as packs
from findings import Refused
from patch import Difference, require
from replica import Replica


def read_folder(path):
    """The packs of a folder by the stores of their document, and the reason for each file that a reader leaves out."""
    found, left_out = {}, {}
    for name in sorted(os.listdir(path)):
        # A file of another kind has no meaning (16.1.1). A sync program may have renamed it.
        if "quirepack" not in name or name.startswith("."):
            continue
        try:
            with open(os.path.join(path, name), "rb") as source:
                data = source.read()
        except OSError as error:
            left_out[name] = str(error)
            continue
        pack, reason = packs.read(name, data)
        if pack is None:
            left_out[name] = reason
        else:
            found.setdefault(tuple(pack.stores), []).append(pack)
    return found, left_out


class Step:
    """A version, with the changes that lead to it and back."""

    def __init__(self, version, is_forward):
        self.version, self.is_forward = version, is_forward
        self.target = version.identity if is_forward else version.start

    def difference(self, own_inverses=()):
        found = self.version.difference(own_inverses)
        return found if self.is_forward else found.turned()


class Graph:
    """The versions of packs of one document, by identity, as lists with one entry for each pack."""

    def __init__(self, found):
        self.versions, self.parents, self.steps = {}, {}, {}
        for version in (version for pack in found for version in pack.versions):
            self.versions.setdefault(version.identity, []).append(version)
            self.parents.setdefault(version.identity, set()).update(version.parents)
            # This reader infers no migration (16.3.4), so no way leads over one.
            if version.start is not None and version.model is None:
                self.steps.setdefault(version.start, []).append(Step(version, True))
                self.steps.setdefault(version.identity, []).append(Step(version, False))

    def ancestors(self, identities):
        """Versions and all from which they derive, as far as the packs tell."""
        found, rest = set(identities), list(identities)
        while rest:
            new = self.parents.get(rest.pop(), set()) - found
            found |= new
            rest += new
        return found

    def order(self, identity):
        return self.versions[identity][0].saved, identity

    def heads(self):
        return sorted({one.head for same in self.versions.values() for one in same})

    def tips(self, head):
        """16.4.2"""
        own = {identity for identity, same in self.versions.items() if any(one.head == head for one in same)}
        passed = self.ancestors(set().union(*(self.parents[one] for one in own)))
        return sorted(own - passed, key=self.order)

    def way(self, start, end):
        """16.3.3: the steps from one version to another, the fewest there are; None if a pack between them is missing."""
        came, rest = {start: None}, [start]
        for place in rest:
            for step in self.steps.get(place, ()):
                if step.target not in came:
                    came[step.target] = place, step
                    rest.append(step.target)
        if end not in came:
            return None
        way = []
        while came[end] is not None:
            end, step = came[end]
            way.append(step)
        return way[::-1]

    def difference(self, start, end, own_inverses=()):
        """The difference of two versions."""
        way = self.way(start, end)
        require(way is not None, "16.3.3", f"there is no way from {start[:8]} to {end[:8]}")
        found = Difference()
        for step in way:
            found = found.followed_by(step.difference(own_inverses))
        return found


class Check:
    """Computes the identity of each version from the document and the changes in the packs, and compares it with the words of the packs."""

    def __init__(self, graph):
        self.graph, self.faults, self.reached, self.done = graph, {}, set(), set()
        for version in (version for same in graph.versions.values() for version in same if version.start is None):
            self.start(version)

    def fault(self, version, message):
        self.faults.setdefault(version.identity, f"{version.pack.name[:8]}: {message}")

    def start(self, version):
        """16.2.5"""
        try:
            files = version.pack.document
            require(files.kind(".lock") is None, "16.2.5", "the document has a lock")
            head = next((one for one in contents.heads(files) if one.name == version.head), None)
            require(head is not None, "16.2.5", f"the document has no head '{version.head}'")
            replica = Replica(files, head)
            self.compare(replica, version)
        except Refused as refused:
            self.fault(version, refused)
            return
        self.walk(replica, version.identity)

    @staticmethod
    def compare(replica, version):
        found = replica.identity(version)
        require(found == version.identity, "7.7.9", f"the identity is {found}")

    def walk(self, replica, start):
        """Goes through all changes that can be reached from a version. The replica goes the same way, there and back."""
        path = [(start, None)]
        self.reached.add(start)
        while path:
            place, back = path[-1]
            step = next((one for one in self.graph.steps.get(place, ()) if one.version not in self.done), None)
            if step is None:
                path.pop()
                if back is not None:
                    replica.move(back)
                continue
            self.done.add(step.version)
            difference = self.follow(replica, step)
            if difference is None:
                continue
            if step.target in self.reached:
                replica.move(difference.turned())
                continue
            self.reached.add(step.target)
            path.append((step.target, difference.turned()))

    def follow(self, replica, step):
        """Moves a replica along a step; None, and the replica where it was, if the step leads to another version than it says."""
        target = step.version if step.is_forward else next(iter(self.graph.versions.get(step.target, ())), None)
        try:
            difference = step.difference(replica.own_inverses)
            replica.move(difference)
        except Refused as refused:
            self.fault(step.version, refused)
            return None
        try:
            if target is not None:
                self.compare(replica, target)
            return difference
        except Refused as refused:
            replica.move(difference.turned())
            self.fault(step.version, refused)
            return None

    def word(self, identity):
        if identity in self.faults:
            return f"fault: {self.faults[identity]}"
        if any(one.model is not None for one in self.graph.versions[identity]):
            return "unknown: it is a migration, and this reader infers none"
        return "ok" if identity in self.reached else "unknown: no way leads to it from a document"


def lines(path):
    """Yields the contents of a folder: the files that are left out, and the versions and the tips of each document."""
    found, left_out = read_folder(path)
    for name, reason in left_out.items():
        yield f"left out {name}: {reason}"
    for stores in sorted(found):
        graph = Graph(found[stores])
        check = Check(graph)
        yield f"stores {' '.join(stores)}"
        for identity in sorted(graph.versions, key=graph.order):
            yield f"version {identity} {graph.versions[identity][0].head} {graph.order(identity)[0]} {check.word(identity)}"
        for head in graph.heads():
            yield from (f"tip {head} {identity}" for identity in graph.tips(head))
