"""Models in files: XML, folders with it, block files, and the compiled form (11.3.4)."""

import os

import blockfile
import plist
from model import TYPES, Element, Model, require


def xml_of_archive(data):
    """Returns a compiled model as the elements of 2.6, without what no version hash covers."""
    archive = plist.Archive(data)
    require("NSManagedObjectModel" in archive.class_names(archive.root), "11.3.4", "the archive is not a model")
    names = {number: name for name, number in TYPES.items()}
    root = Element("model", {})
    for name, entity in sorted(archive.members(archive.get(archive.root, "NSEntities")).items()):
        element = Element("entity", {"name": name})
        above = archive.get(entity, "NSSuperentity")
        if above is not None:
            element.attributes["parentEntity"] = archive.text(archive.get(above, "NSEntityName"))
        if archive.get(entity, "NSIsAbstract"):
            element.attributes["isAbstract"] = "YES"
        set_text(element, "versionHashModifier", archive.text(archive.get(entity, "NSVersionHashModifier")))
        for member_name, member in sorted(archive.members(archive.get(entity, "NSProperties")).items()):
            element.children.append(property_of_archive(archive, member_name, member, names))
        constraints = Element("uniquenessConstraints", {})
        for columns in archive.items(archive.get(entity, "NSUniqueTuples")):
            one = Element("uniquenessConstraint", {})
            for column in archive.items(columns):
                text = archive.text(column) or archive.text(archive.get(column, "NSPropertyName"))
                one.children.append(Element("constraint", {"value": text}))
            constraints.children.append(one)
        element.children.append(constraints)
        root.children.append(element)
    return root


def set_text(element, name, text):
    if text is not None:
        element.attributes[name] = text


def property_of_archive(archive, name, member, names):
    bits = archive.get(member, "_P") or 0
    classes = archive.class_names(member)
    element = Element("relationship" if "NSRelationshipDescription" in classes else "attribute", {"name": name})
    for attribute, place, field in (("optional", 2, "NSIsOptional"), ("transient", 8, "NSIsTransient"), ("ordered", 1024, "NSIsOrdered")):
        if bits & place if bits else archive.get(member, field):
            element.attributes[attribute] = "YES"
    set_text(element, "versionHashModifier", archive.text(archive.get(member, "NSVersionHashModifier")))
    if element.tag == "relationship":
        set_text(element, "destinationEntity", archive.text(archive.get(member, "_NSDestinationEntityName")))
        set_text(element, "inverseName", archive.text(archive.get(member, "_NSInverseRelationshipName")))
        element.attributes["minCount"] = str(archive.get(member, "NSMinCount") or 0)
        element.attributes["maxCount"] = str(archive.get(member, "NSMaxCount") or 0)
        return element
    element.attributes.pop("ordered", None)
    element.attributes["attributeType"] = names.get(archive.get(member, "NSAttributeType"), "Undefined")
    flags = archive.get(member, "NSFlagsKey") or 0
    if flags & 4:
        element.attributes["allowsExternalBinaryDataStorage"] = "YES"
    if flags & 16:
        element.attributes["preserveAfterDeletion"] = "YES"
    if "NSDerivedAttributeDescription" in classes:
        element.attributes["derivationExpression"] = derivation_of_archive(archive, archive.get(member, "NSDerivationExpression"))
    return element


def derivation_of_archive(archive, expression):
    """The expression of a derived attribute: a function of one path, or a path (11.3.4)."""
    text = archive.text(expression) if isinstance(expression, str) else None
    if text is not None:
        return text
    selector = archive.text(archive.get(expression, "NSSelectorName"))
    arguments = archive.items(archive.get(expression, "NSArguments"))
    if selector == "now":
        return "now()"
    if selector in ("valueForKey:", "valueForKeyPath:") or selector is None:
        return path_of_archive(archive, expression)
    require(len(arguments) == 1, "11.3.4", f"the function '{selector}' is not known")
    return f"{selector}({path_of_archive(archive, arguments[0])})"


def path_of_archive(archive, expression):
    path = archive.text(archive.get(expression, "NSKeyPath"))
    if path is None:
        arguments = archive.items(archive.get(expression, "NSArguments"))
        require(arguments, "11.3.4", "an expression is not a path")
        return path_of_archive(archive, arguments[0])
    return path


def read(path):
    """Returns the model in a file: XML, a folder with it, a compiled model, or a block file."""
    if os.path.isdir(path):
        path = os.path.join(path, "contents")
    with open(path, "rb") as source:
        data = source.read()
    if data[:8] == b"QRBLOCKS":
        data = blockfile.File(data).section("model")
    if data[:6] == b"bplist":
        return compiled(data)
    return Model(data)


def compiled(data):
    """Returns a compiled model."""
    def text(element):
        inner = "".join(text(child) for child in element.children)
        attributes = "".join(
            f' {name}="{value.translate({38: "&amp;", 60: "&lt;", 34: "&quot;", 9: "&#9;", 10: "&#10;", 13: "&#13;"})}"'
            for name, value in element.attributes.items())
        return f"<{element.tag}{attributes}>{inner}</{element.tag}>"
    return Model(text(xml_of_archive(data)).encode())
