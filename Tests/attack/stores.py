"""Makes the stores that the campaign attacks, with the tool itself."""

import os

from tool import ROOT, copy

MODEL = os.path.join(ROOT, "Examples/Trips.xcdatamodeld")


def make(tool, folder):
    """Returns the paths of the stores by kind."""
    os.makedirs(folder)
    first = os.path.join(ROOT, "Examples/Trips.store")
    at = lambda name: os.path.join(folder, name)
    stores = {"plain": at("plain.store"), "compressed": at("compressed.store"), "xml": at("trips.xml"),
              "sqlite": at("trips.sqlite"), "document": at("one.quire"), "packed": at("one.quire.zip")}
    tool.must("convert", first, stores["plain"], "--store", "binary")
    tool.must("convert", first, stores["compressed"], "--store", "compressed")
    tool.must("convert", first, stores["xml"], "--store", "xml")
    tool.must("convert", first, stores["sqlite"], "--store", "SQLite")
    tool.must("export", first, "--output", at("objects.jsonl"))
    tool.must("new", stores["document"], "--model", MODEL)
    tool.must("import", stores["document"], at("objects.jsonl"))
    for kind in ("plain", "compressed", "document"):
        for number in range(3):
            tool.must("insert", stores[kind], "Trip", f"name=Trip {number}")
    tool.must("pack", stores["document"], stores["packed"])
    return stores


def state(tool, path):
    """Returns all objects of a store as text; None if the store can't be read."""
    outcome = tool.run("export", path, "--format", "jsonl")
    return outcome.out if outcome.code == 0 else None


def place_copy(part, source):
    """Returns a copy of a store in a new folder, and this folder."""
    folder = part.place()
    return copy(source, os.path.join(folder, os.path.basename(source))), folder
