"""Lets the tool exchange versions between copies of a document, and compares the findings of the tool and of the reader in spec/reference (16).

The copies are edited at random and synced. The reader must compute the identity of every version that the packs contain, and both must name the
same versions that a copy lacks, in the same order. Then packs are cut, changed and renamed: neither may read them.

    python3 Tests/reference/exchanges.py [--tool PATH] [--rounds N] [--seed N]
"""

import argparse
import base64
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

import objects

import exchange
import judge

MODEL = """
entity Note
  flag: Bool?
  small: Int16?
  large: Int64?
  single: Float?
  double: Double?
  exact: Decimal?
  text: String?
  moment: Date?
  key: UUID?
  page: URL?
  bytes: Data?
  spot: composite Spot?
  parent: Note?, inverse children
  children: [Note], inverse parent, ordered
  related: [Note], inverse related
  tags: [Tag], inverse notes, ordered
entity Tag
  name: String?
  notes: [Note], inverse tags
composite Spot
  north: Double?
"""
VALUES = {
    "flag": ["true", "false"], "small": ["-7", "32767"], "large": ["9223372036854775807", "-1"], "single": ["0.1", "-3.5e-40", "inf"],
    "double": ["0.1", "-0.0", "1e300", "nan", "nan:7ff8000000000001", "-inf"], "exact": ["12345678901234567890.5", "-0.001", "1e20", "0"],
    "text": ["", "Ré\n", "a 'quoted' \"text\"", "👨‍👩‍👧 e\u0301 é"], "moment": ["2026-05-01T09:30:00.25Z", "@0.1", "@-1e12", "1999-12-31T23:59:59Z"],
    "key": ["E621E1F8-C36C-495A-93FC-0C247A3E6E5F"], "page": ["https://www.swift.org/ä?q=1"], "spot.north": ["41.1", "-0.0"]}
NUMBERS = {"Note": 1, "Tag": 2}


class World:
    """Copies of one document, and the folder through which they exchange versions."""

    def __init__(self, tool, chance, folder):
        self.tool, self.chance, self.folder = tool, chance, folder
        self.remote, self.paths, self.edits = os.path.join(folder, "remote"), [], 0
        os.makedirs(self.remote)
        model, first = os.path.join(folder, "Notes.model"), self.path("copy-0")
        with open(model, "w", encoding="utf-8") as file:
            file.write(MODEL)
        tool.run("new", first, "--model", model)
        tool.run("import", first, "-", "--format", "jsonl", text=self.rows())
        tool.run("remote", "add", first, "origin", self.remote)
        self.paths.append(first)
        self.exchange("push", first)

    def path(self, name):
        return os.path.join(self.folder, f"{name}.quire")

    def rows(self):
        """Notes and tags for `quire import`."""
        notes = [{"@entity": "Note", "@id": f"1/p{number}", "text": f"note {number}", "large": number, "tags": [f"2/p{number % 3 + 1}"],
                  "bytes": base64.b64encode(bytes([number]) * 5000).decode(), **({"parent": "1/p1"} if number % 4 == 3 else {})}
                 for number in range(1, 21)]
        notes[0].update({"double": "nan:fff8000000000001", "single": "nan:7fc00001", "moment": "@nan:7ff8000000000002"})
        return "".join(json.dumps(one) + "\n" for one in (*notes, *({"@entity": "Tag", "@id": f"2/p{number}"} for number in range(1, 4))))

    def exchange(self, command, *words):
        """The JSON that a command of the exchange prints. It ends with 1 if versions are in conflict."""
        outcome = subprocess.run([self.tool.path, command, *words, "--format", "json"], capture_output=True, timeout=600, check=False)
        if outcome.returncode not in (0, 1):
            raise objects.Failure(f"quire {command} {' '.join(words)}\n  {outcome.stderr.decode().strip()[:400]}")
        return json.loads(outcome.stdout)

    def clone(self):
        path = self.path(f"copy-{len(self.paths)}")
        self.tool.run("clone", self.remote, path)
        self.paths.append(path)

    # --- Edits

    def keys(self, path, entity):
        """The identifiers of the objects of an entity."""
        lines = (line.split(" ") for line in judge.lines(path))
        return [f"{NUMBERS[entity]}/p{words[1]}" for words in lines if words[0] == entity]

    def values(self, notes, tags):
        """Words for `quire insert` and `quire set`."""
        chance = self.chance
        found = [f"{name}={chance.choice([*VALUES[name], 'null'])}" for name in chance.sample(sorted(VALUES), chance.randrange(1, 4))]
        if chance.random() < 0.3:
            found.append(f"parent={chance.choice([*notes, 'null'])}")
        if chance.random() < 0.3:
            found.append(f"tags={','.join(chance.sample(tags, chance.randrange(1, len(tags) + 1)))}")
        if chance.random() < 0.3:
            found.append(f"related={','.join(chance.sample(notes, min(2, len(notes))))}")
        return found

    def edit(self, path):
        chance, notes, tags = self.chance, self.keys(path, "Note"), self.keys(path, "Tag")
        self.edits += 1
        kind = chance.random()
        author = [*chance.choice([[], ["--author", "Ada é"]]), *chance.choice([[], ["--message", "two\nlines"]])]
        if kind < 0.3 or len(notes) < 3:
            self.tool.run("insert", path, "Note", *self.values(notes, tags), *author)
        elif kind < 0.75:
            self.tool.run("set", path, "Note", *self.values(notes, tags), "--id", chance.choice(notes), *author)
        elif kind < 0.85:
            self.tool.run("delete", path, "Note", "--id", chance.choice(notes), *author)
        else:
            file = os.path.join(self.folder, "file.txt")
            with open(file, "w", encoding="utf-8") as output:
                output.write(f"file {chance.randrange(9)}")
            name = f"file-{chance.randrange(3)}-{os.path.basename(path)}"
            self.tool.run("attach", "add", path, file, "--name", name, "--force", *author)

    # --- The findings of the reader

    def graph(self):
        """The graph of the remote, the identities that are right, and the names of the files that the reader leaves out."""
        found, left_out = exchange.read_folder(self.remote)
        if len(found) > 1:
            raise objects.Failure(f"{self.remote}: the reader finds {len(found)} documents")
        graph = exchange.Graph(next(iter(found.values()), []))
        check = exchange.Check(graph)
        words = {identity: check.word(identity) for identity in graph.versions}
        return graph, words, left_out

    @staticmethod
    def identity(path):
        return next(line.split(" ")[2] for line in judge.lines(path) if line.startswith("identity "))


def compare_versions(world, when):
    """Yields a sentence for each version whose identity the reader computes differently, and for each copy that lacks others by the tool."""
    graph, words, left_out = world.graph()
    wrong = {identity: word for identity, word in words.items() if word != "ok"}
    yield f"{when}: {wrong} {left_out}" if wrong or left_out else None
    tips = graph.tips("main")
    for path in world.paths:
        own = world.identity(path)
        if own not in graph.versions:
            yield f"{when}: no pack has the newest version of {path}, {own}"
            continue
        has = graph.ancestors([own])
        status, = world.exchange("status", path)["remotes"]
        seen, wanted = [one["identity"] for one in status.get("toReceive", [])], [one for one in tips if one not in has]
        yield f"{when}: {path} lacks {seen} by the tool, and {wanted} by the reader" if seen != wanted or status.get("toSend") else None


def compare_end(world):
    """Yields a sentence if copies without conflicts differ, or None."""
    graph, _, _ = world.graph()
    tips, identities = graph.tips("main"), {world.identity(path) for path in world.paths}
    yield f"the copies are {identities}, and the tips {tips}" if len(tips) == 1 and identities != set(tips) else None


# --- Damages


def cut(chance, name, data):
    return name, data[:chance.randrange(len(data))]


def flipped(chance, name, data):
    place = chance.randrange(len(data))
    return name, data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1:]


def renamed(_, name, data):
    return f"{name} (2)", data


def another_digest(_, name, data):
    return f"{'0' * 64}.quirepack", data


# Whether the tool finds the damage when it reads the headers, and not before it uses the pack (16.1.3).
DAMAGES = ((cut, True), (renamed, True), (flipped, False), (another_digest, False))


def compare_damage(world, late, damage, is_seen_at_once):
    """Damages the packs that a late copy lacks, one at a time, and yields a sentence where the tool reads one that the reader leaves out."""
    name = world.chance.choice(world.lacking)
    path, aside = os.path.join(world.remote, name), os.path.join(world.folder, "aside")
    shutil.move(path, aside)
    with open(aside, "rb") as file:
        other, data = damage(world.chance, name, file.read())
    with open(os.path.join(world.remote, other), "wb") as file:
        file.write(data)
    _, words, left_out = world.graph()
    status, = world.exchange("status", late)["remotes"]
    seen = {one["name"] for one in status.get("skipped", [])}
    copy = os.path.join(world.folder, "late-copy.quire")
    shutil.copytree(late, copy)
    received = {one["identity"] for one in world.exchange("pull", copy)["received"]}
    shutil.rmtree(copy)
    os.remove(os.path.join(world.remote, other))
    shutil.move(aside, path)
    title = f"{damage.__name__} {name}"
    yield f"{title}: the reader leaves out {left_out}" if set(left_out) != {other} else None
    is_same = seen == set(left_out) if is_seen_at_once else seen <= set(left_out)
    yield f"{title}: the tool leaves out {seen}, and the reader {left_out}" if not is_same else None
    unsound = {identity for identity in received if words.get(identity) != "ok"}
    yield f"{title}: the tool receives {unsound}, which the reader does not find" if unsound else None


def compare_exchanges(tool, seed, folder, rounds=3):
    """Yields for each comparison a sentence where the reader and the tool differ, or None."""
    world = World(tool, random.Random(seed), folder)
    yield from compare_versions(world, "the first push")
    late, first = world.path("late"), set(os.listdir(world.remote))
    tool.run("clone", world.remote, late)
    for number in range(rounds):
        if number < 2:
            world.clone()
        for path in world.paths:
            for _ in range(world.chance.randrange(1, 4)):
                world.edit(path)
        for path in world.chance.sample(world.paths, len(world.paths)):
            world.exchange("sync", path)
        yield from compare_versions(world, f"round {number + 1}")
    for path in world.paths * 2:
        world.exchange("sync", path)
    yield from compare_versions(world, "the end")
    yield from compare_end(world)
    world.lacking = sorted(set(os.listdir(world.remote)) - first)
    for damage, is_seen_at_once in DAMAGES:
        yield from compare_damage(world, late, damage, is_seen_at_once)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tool", default=os.path.join(objects.ROOT, ".build/debug/quire"))
    parser.add_argument("--rounds", type=int, default=3, help="the number of times that all copies are edited and synced (3)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            checked = list(compare_exchanges(objects.Tool(options.tool), options.seed, folder, options.rounds))
        except objects.Failure as failure:
            sys.exit(f"exchanges: seed {options.seed}: {failure}")
    found = [sentence for sentence in checked if sentence]
    for sentence in found:
        print(f"exchanges: {sentence}")
    print(f"exchanges: seed {options.seed}; {len(checked)} comparisons, {len(found)} differences")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
