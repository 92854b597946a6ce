"""Compares the readers in spec/reference with the specification's vectors, with `quire hash` and with `quire validate`.

The comparison has four parts: the vectors of clauses 2.4.9 and 2.4.10, the models of the examples and of the vectors' files,
random models, and block files with changed metadata or models (see metadata_mutants.py). A random model has many entities, so
one run of the tool computes the hashes of all of them.
"""

import argparse
import concurrent.futures
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
FOLDER = os.path.join(ROOT, ".build/reference")
sys.path.insert(0, os.path.join(ROOT, "spec/reference"))
import blockfile  # noqa: E402
import metadata_mutants  # noqa: E402
import model  # noqa: E402

ENTITIES_PER_MODEL = 250
LETTERS = "abzAZ_09éßΩ字𝒳"


# --- Vectors ------------------------------------------------------------------------------------


def vectors(kind):
    """Yields the title and the fields of each vector of a kind in chapter 2."""
    with open(os.path.join(ROOT, "spec/2-model.md"), encoding="utf-8") as page:
        text = page.read()
    for title, body in re.findall(rf"^```vector {kind}: (.*)\n((?:.*\n)*?)```$", text, re.MULTILINE):
        lines = [re.sub(r"(^|\s)#.*", "", line) for line in body.split("\n")]
        yield title, [tuple(part.strip() for part in line.split("=", 1)) for line in lines if "=" in line]


def property_element(text):
    """Returns the XML of a property as clause 2.4.9 writes it."""
    name, rest = (part.strip() for part in text.split(":", 1))
    first, *flags = [part.strip() for part in rest.split(", ")]
    if first.startswith("to "):
        element = ElementTree.Element("relationship", name=name, destinationEntity=first[3:], maxCount="0")
    elif first.startswith("derived "):
        element = ElementTree.Element("attribute", name=name, attributeType="Integer 64", derived="YES",
                                      derivationExpression=first[8:])
    else:
        element = ElementTree.Element("attribute", name=name, attributeType=first)
    attributes = {"external": "allowsExternalBinaryDataStorage", "preserved": "preserveAfterDeletion"}
    texts = {"inverse ": "inverseName", "at least ": "minCount", "at most ": "maxCount", "modifier ": "versionHashModifier"}
    for flag in flags:
        for start, attribute in texts.items():
            if flag.startswith(start):
                element.set(attribute, flag[len(start):])
                break
        else:
            element.set(attributes.get(flag, flag), "YES")
    return element


def compare_vectors():
    """Yields a sentence for each vector, or None where the reader agrees with it."""
    for title, fields in vectors("version-hash"):
        single = dict(fields)
        element = ElementTree.Element("entity", name=single["entity"])
        if single.get("abstract") == "yes":
            element.set("isAbstract", "YES")
        if "modifier" in single:
            element.set("versionHashModifier", single["modifier"])
        constraints = ElementTree.SubElement(element, "uniquenessConstraints")
        for name, value in fields:
            if name == "property":
                element.append(property_element(value))
            elif name == "unique":
                constraint = ElementTree.SubElement(constraints, "uniquenessConstraint")
                for column in value.split(","):
                    ElementTree.SubElement(constraint, "constraint", value=column.strip())
        entity = model.Entity(element)
        whole = model.Model(b"<model/>")
        whole.entities[entity.name] = entity
        digests = {member: member.digest(whole) for member in entity.properties.values()}
        wrong = [
            value for name, value in fields if name == "digest"
            and digests[entity.properties[value.split()[0]]].hex() != value.split()[1]]
        # The vector has the hash of the superentity and not the superentity, whose properties it repeats.
        hashes = {}
        if "superentity" in single:
            superentity = model.Entity(ElementTree.Element("entity", name="Superentity"))
            whole.entities["Superentity"] = superentity
            entity.superentity = "Superentity"
            hashes["Superentity"] = bytes.fromhex(single["superentity"])
        found = whole.entity_hash(entity, hashes, {}).hex()
        if wrong or found != single["hash"]:
            yield f"vector '{title}': the reader computes {found} {wrong}"
        else:
            yield None
    for title, fields in vectors("version-digests"):
        hashes = {value.split()[0]: bytes.fromhex(value.split()[1]) for name, value in fields if name == "entity"}
        expected = tuple(value for name, value in fields if name in ("digest", "checksum"))
        yield None if model.digests_of(hashes) == expected else f"vector '{title}': the digests differ"


# --- Files --------------------------------------------------------------------------------------


def files():
    """Yields the path of each model of the examples, and of each valid block file among the vectors of rules."""
    for base, folders, _ in os.walk(os.path.join(ROOT, "Examples")):
        folders[:] = sorted(name for name in folders if name != ".build")
        yield from (os.path.join(base, name) for name in folders if name.endswith(".xcdatamodel"))
    yield os.path.join(ROOT, "Examples/Trips.store")
    rules = os.path.join(ROOT, "spec/vectors/rules")
    for name in sorted(os.listdir(rules)):
        path = os.path.join(rules, name)
        if name.endswith(".store") and os.path.isfile(path):
            with open(path, "rb") as file, open(path[:-6] + ".txt", encoding="utf-8") as report:
                if file.read(8) == b"QRBLOCKS" and f"{name}: valid" in report.read():
                    yield path


def rule_files():
    """Returns the paths of the vectors of the rules that the reader judges."""
    folder = os.path.join(ROOT, "spec/vectors/rules")
    return [os.path.join(folder, f"{rule}.store") for rule in sorted(metadata_mutants.RULES)]


def write_mutants(source, count):
    """Returns the paths of so many mutants of two block files."""
    sources, paths = [], []
    for name in ("spec/vectors/rules/META-005.store", "Examples/Trips.store"):
        with open(os.path.join(ROOT, name), "rb") as file:
            sources.append(file.read())
    for number in range(count):
        paths.append(os.path.join(FOLDER, f"{number}.store"))
        with open(paths[-1], "wb") as file:
            file.write(metadata_mutants.mutant(source, source.choice(sources)))
    return paths


# --- Random models ------------------------------------------------------------------------------


def random_name(source, taken):
    while True:
        name = source.choice("abzAZ_éßΩ字𝒳") + "".join(source.choice(LETTERS) for _ in range(source.randrange(6)))
        if name not in taken:
            taken.add(name)
            return name


def random_flags(source, element, *names):
    for name in names:
        if source.random() < 0.3:
            element.set(name, source.choice(["YES", "NO"]))
    if source.random() < 0.2:
        element.set("versionHashModifier", source.choice(["2", "a b", "é<&"]))


def random_attribute(source, name, composites):
    element = ElementTree.Element("attribute", name=name)
    kinds = [kind for kind in model.TYPES if kind not in ("Undefined", "ObjectID", "Composite")]
    kind = source.choice(kinds + ["Composite"] * bool(composites))
    element.set("attributeType", kind)
    if kind == "Composite":
        element.set("composite", source.choice(composites))
    random_flags(
        source, element, "optional", "transient", "allowsExternalBinaryDataStorage", "preserveAfterDeletion", "indexed",
        "spotlightIndexingEnabled", "syncable")
    return element


def random_model(source, count):
    """Returns the XML of a model with random entities, each above its subentities.

    A modifier and constraints are never in one entity, no entity has several constraints, and no relationship is its own
    inverse: the vectors of clause 2.4.9 decide these cases.
    """
    root, taken, declared, made = ElementTree.Element("model"), set(), {}, []
    composites = [random_name(source, taken) for _ in range(3)]
    for composite in composites:
        element, names = ElementTree.SubElement(root, "composite", name=composite), set()
        for _ in range(source.randrange(1, 5)):
            element.append(random_attribute(source, random_name(source, names), []))
    for _ in range(count):
        entity = ElementTree.SubElement(root, "entity", name=random_name(source, taken))
        names = set()
        if made and source.random() < 0.3:
            above = source.choice(made)
            entity.set("parentEntity", above.get("name"))
            names |= declared[above.get("name")]
        if source.random() < 0.2:
            entity.set("isAbstract", source.choice(["YES", "NO"]))
        plain = []
        for _ in range(source.randrange(8)):
            element = random_attribute(source, random_name(source, names), composites)
            entity.append(element)
            if element.get("transient") != "YES" and element.get("attributeType") not in ("Composite",):
                plain.append(element)
        if source.random() < 0.2:
            entity.append(ElementTree.Element(
                "attribute", name=random_name(source, names), attributeType="Date", derived="YES",
                derivationExpression=source.choice(["now()", " now() "])))
        if plain and source.random() < 0.2:
            constraints = ElementTree.SubElement(entity, "uniquenessConstraints")
            constraint = ElementTree.SubElement(constraints, "uniquenessConstraint")
            for element in source.sample(plain, min(len(plain), source.randrange(1, 4))):
                ElementTree.SubElement(constraint, "constraint", value=element.get("name"))
        elif source.random() < 0.2:
            entity.set("versionHashModifier", "é 3")
        declared[entity.get("name")] = names
        made.append(entity)
    add_relationships(source, made, taken)
    source.shuffle(made)
    for entity in made:
        root.remove(entity)
        root.append(entity)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)


def add_relationships(source, entities, taken):
    """Adds pairs of relationships, with names that no entity of the model has."""
    names = set(taken)
    for index in range(len(entities)):
        first, second = source.choice(entities), source.choice(entities)
        pair = [f"{random_name(source, names)}_{index}_{side}" for side in (1, 2)]
        for side, (owner, other) in enumerate([(first, second), (second, first)]):
            element = ElementTree.SubElement(
                owner, "relationship", name=pair[side], destinationEntity=other.get("name"), inverseName=pair[1 - side],
                inverseEntity=other.get("name"))
            if source.random() < 0.5:
                element.set("maxCount", "1")
            else:
                least = source.randrange(3)
                element.set("toMany", "YES")
                element.set("minCount", str(least))
                if source.random() < 0.6:
                    element.set("maxCount", str(source.choice([0, -1, least + 2])))
                if source.random() < 0.3:
                    element.set("ordered", "YES")
                if source.random() < 0.3:
                    path = pair[side]
                    ElementTree.SubElement(
                        owner, "attribute", name=random_name(source, names) + f"_{index}", attributeType="Integer 64",
                        derived="YES", derivationExpression=source.choice([f"count:({path})", f" {path}.@count "]))
            random_flags(source, element, "optional", "syncable")


# --- The comparison -----------------------------------------------------------------------------


def compare_hashes(tool, path):
    """Returns the number of hashes of a model, and a sentence for each that the reader and the tool compute differently."""
    try:
        ours = {name: value.hex() for name, value in model.read(path).hashes().items()}
    except (model.Refused, blockfile.Damage) as error:
        ours = f"refused: {error}"
    outcome = subprocess.run(
        [tool, "hash", "--format", "json", path], capture_output=True, text=True, timeout=60, check=False)
    theirs = json.loads(outcome.stdout)["entities"] if outcome.returncode == 0 else outcome.stderr.strip()
    command = shlex.join([".build/debug/quire", "hash", path])
    if isinstance(ours, str) or isinstance(theirs, str):
        return 0, [f"{command}\n  the tool: {str(theirs)[:200]}\n  the reader: {str(ours)[:200]}"]
    return len(ours), [
        f"{command}\n  {name}: the tool computes {theirs.get(name)}, the reader {ours.get(name)}"
        for name in sorted(ours.keys() | theirs.keys()) if ours.get(name) != theirs.get(name)]


def main():
    parser = argparse.ArgumentParser(prog="./run reference", description="Compares the readers in spec/reference with Quire.")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--entities", type=int, default=10_000, help="the number of random entities (10,000)")
    parser.add_argument("--mutants", type=int, default=2000, help="the number of changed block files (2,000)")
    parser.add_argument("--tool", default=os.path.join(ROOT, ".build/debug/quire"))
    options = parser.parse_args()
    started, source = time.monotonic(), random.Random(options.seed)
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    print(f"reference: seed {options.seed}", flush=True)

    checked = list(compare_vectors())
    found = [sentence for sentence in checked if sentence]
    paths = list(files())
    for number in range((options.entities + ENTITIES_PER_MODEL - 1) // ENTITIES_PER_MODEL):
        folder = os.path.join(FOLDER, f"{number}.xcdatamodel")
        os.makedirs(folder)
        with open(os.path.join(folder, "contents"), "wb") as file:
            file.write(random_model(source, ENTITIES_PER_MODEL))
        paths.append(folder)
    hashes = 0
    with concurrent.futures.ThreadPoolExecutor(2) as workers:
        for count, sentences in workers.map(lambda path: compare_hashes(options.tool, path), paths):
            hashes += count
            found += sentences
        judged = [path for path in files() if path.endswith(".store")] + rule_files()
        judged += write_mutants(source, options.mutants)
        found += filter(None, workers.map(lambda path: metadata_mutants.compare(options.tool, path), judged))

    for sentence in found[:20]:
        print(f"reference: {sentence}")
    print(f"reference: {len(checked)} vectors, {len(paths)} models, {hashes} hashes, "
          f"{len(judged)} files judged; {len(found)} differences; "
          f"{time.monotonic() - started:.0f} s")
    sys.exit(1 if found or not checked else 0)


if __name__ == "__main__":
    main()
