"""Lets the tool write into a database with a history of Core Data (10.10), and compares what the tool and the reader in
spec/reference find in the history.

    python3 Tests/reference/changelog.py
"""

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "spec/reference"))
import changelog  # noqa: E402

TOOL = os.path.join(ROOT, ".build/debug/quire")
TABLES = """
CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER,
    ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB, ZTOMBSTONE1 BLOB );
CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER,
    ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR,
    ZPROCESSID VARCHAR, ZQUERYGEN BLOB );
CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR );
"""
MODEL = """
entity Place
  name: String, preserved
  rank: Int64 = 0
  visits: [Visit], inverse place
entity City: Place
  size: Int64?
entity Visit
  day: String, preserved
  note: String?, preserved
  place: Place?, inverse visits
  friends: [Friend], inverse visits
entity Friend
  name: String
  visits: [Visit], inverse friends
"""


def install(folder):
    """Puts the plug-in for SQLite where the tool looks for plug-ins."""
    plugin = os.path.join(folder, "plugins/SQLiteStore")
    os.makedirs(plugin)
    shutil.copy(os.path.join(ROOT, "Plugins/SQLiteStore/plugin.json"), plugin)
    shutil.copy(os.path.join(os.path.dirname(TOOL), "libSQLiteStorePlugin.so"), plugin)
    os.environ["QUIRE_PLUGIN_PATH"] = os.path.join(folder, "plugins")


def run(*words):
    outcome = subprocess.run([TOOL, *words], capture_output=True, text=True)
    if outcome.returncode != 0:
        sys.exit(f"quire {' '.join(words)}: exit code {outcome.returncode}\n{outcome.stdout}{outcome.stderr}")
    return outcome.stdout


def make(folder):
    """A database as Core Data would have left it: the tables of Quire are gone, and those of a history are there."""
    model, store, path = (os.path.join(folder, name) for name in ("Visits.model", "Visits.quire", "App.sqlite"))
    with open(model, "w") as file:
        file.write(MODEL)
    run("new", store, "--model", model)
    run("convert", store, path, "--store", "SQLite")
    database = sqlite3.connect(path)
    for table in ("QUIRE_STORE", "QUIRE_COMMIT", "QUIRE_BEFORE", "QUIRE_LINK"):
        database.execute(f"DROP TABLE {table}")
    database.executescript(TABLES)
    database.close()
    return path


def edit(path, chance):
    """Makes a random change of one to three objects."""
    def ids(entity):
        text = run("fetch", path, entity, "--format", "json")
        return [one["@id"] for one in json.loads(text)]
    places, visits, friends = ids("Place"), ids("Visit"), ids("Friend")
    kind = chance.randrange(8)
    if kind == 0 or not places:
        return run("insert", path, chance.choice(["Place", "City"]), f"name=P{chance.randrange(99)}", "--write", "--author", "ann")
    if kind == 1 or not friends:
        return run("insert", path, "Friend", f"name=F{chance.randrange(99)}", "--write")
    if kind == 2 or not visits:
        return run("insert", path, "Visit", f"day=D{chance.randrange(99)}", f"place={chance.choice(places)}", "--write")
    if kind == 3:
        return run("set", path, "Visit", "--id", chance.choice(visits), f"place={chance.choice(places)}", f"note=n{chance.random()}", "--write")
    if kind == 4:
        return run("set", path, "Visit", "--id", chance.choice(visits), f"friends={chance.choice(friends)}", "--write")
    if kind == 5:
        return run("set", path, "Place", "--id", chance.choice(places), f"rank={chance.randrange(1 << 30)}", "--write")
    if kind == 6:
        return run("delete", path, "Visit", "--id", chance.choice(visits), "--write")
    return run("delete", path, "Place", "--id", chance.choice(places), "--write")


def by_tool(path):
    found = []
    for version in reversed(json.loads(run("history", path, "--objects", "--format", "json"))):
        changes = [
            (one["change"], one["entity"], int(one["id"].split("/p")[1]), one.get("changedProperties"),
             {name: value["old"] for name, value in one.get("properties", {}).items()})
            for one in version.get("objects", [])]
        found.append((version["number"], version.get("author"), version.get("bundle"), sorted(changes, key=lambda one: one[:3])))
    return found


def by_reader(path):
    return [
        (one["number"], one["author"], one["bundle"], sorted(
            ((change["change"], change["entity"], change["key"], change.get("names"), change.get("values", {})) for change in one["changes"]),
            key=lambda change: change[:3]))
        for one in changelog.read(path)]


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    chance = random.Random(10)
    with tempfile.TemporaryDirectory() as folder:
        install(folder)
        path = make(folder)
        for _ in range(rounds):
            edit(path, chance)
        tool, reader = by_tool(path), by_reader(path)
        if tool != reader:
            for one, other in zip(tool, reader):
                if one != other:
                    print(f"tool:   {one}\nreader: {other}")
            sys.exit("The tool and the reader find different histories.")
        masks = sum(1 for one in reader for change in one[3] if change[3])
        run("validate", path)
        run("history", path, "--prune-before", "2100-01-01")
        if by_tool(path) or by_reader(path):
            sys.exit("Transactions are left after they were removed.")
        run("insert", path, "Friend", "name=Zoe", "--write")
        if [one[0] for one in by_reader(path)] != [reader[-1][0] + 1]:
            sys.exit(f"The numbers do not go on: {by_reader(path)}")
        print(f"history: {len(reader)} transactions with {sum(len(one[3]) for one in reader)} changes, {masks} of them with properties, read alike")


main()
