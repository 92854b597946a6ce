"""The vectors of chapter 2 for the reference reader, and models of random entities."""

import os
import re
import sys
import xml.etree.ElementTree as ElementTree

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "spec/reference"))
import model  # noqa: E402

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


def plain(element):
    """Returns an element of the library's as the reader has elements."""
    found = model.Element(element.tag, dict(element.attrib))
    found.children = [plain(child) for child in element]
    return found


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
        entity = model.Entity(plain(element))
        whole = model.Model(b"<model/>")
        whole.entities[entity.name] = entity
        digests = {member: member.digest(whole, whole.is_own_inverse(member)) for member in entity.properties.values()}
        wrong = [
            value for name, value in fields if name == "digest"
            and digests[entity.properties[value.split()[0]]].hex() != value.split()[1]]
        # The vector has the hash of the superentity and its properties, but not the superentity.
        hashes = {}
        if "superentity" in single:
            superentity = model.Entity(model.Element("entity", {"name": "Superentity"}))
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
    yield from compare_model_vectors()


def compare_model_vectors():
    """The vectors of clause 2.7."""
    texts = {}
    for title, fields in vectors("model"):
        texts[title] = [value for name, value in fields if name == "line"]
        hashes = {value.split()[0]: value.split()[1] for name, value in fields if name == "hash"}
        found = {name: hash_.hex() for name, hash_ in model.Model("\n".join(texts[title]).encode()).hashes().items()}
        yield None if found == hashes else f"vector '{title}': the reader computes {found}"
    for kind in ("bad-model", "good-model"):
        for title, fields in vectors(kind):
            single = dict(fields)
            lines = list(texts[single["of"]])
            lines[int(single["at"]) - 1] = single["with"]
            yield compare_changed_model(kind, title, "\n".join(lines).encode())


def compare_changed_model(kind, title, text):
    clause = re.search(r"\(([\d.]+)\)$", title).group(1)
    try:
        model.Model(text)
    except model.Refused as refused:
        is_clause = refused.clause == clause or clause.startswith("2.6") and refused.clause.startswith("2.6")
        return None if kind == "bad-model" and is_clause else f"vector '{title}': {refused}"
    return None if kind == "good-model" else f"vector '{title}': the reader accepts it"


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
    """Returns the XML of a model with random entities, each above its subentities."""
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
        if plain and source.random() < 0.3:
            constraints = ElementTree.SubElement(entity, "uniquenessConstraints")
            for _ in range(source.randrange(1, 4)):
                constraint = ElementTree.SubElement(constraints, "uniquenessConstraint")
                for element in source.sample(plain, min(len(plain), source.randrange(1, 4))):
                    ElementTree.SubElement(constraint, "constraint", value=element.get("name"))
        if source.random() < 0.2:
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
        if source.random() < 0.1:
            own = ElementTree.SubElement(
                first, "relationship", name=random_name(source, names) + f"_{index}", destinationEntity=first.get("name"),
                inverseEntity=first.get("name"), toMany="YES")
            own.set("inverseName", own.get("name"))
            random_flags(source, own, "optional", "ordered")
            continue
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
