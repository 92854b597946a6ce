"""What a path is, its report, and the objects of a block file as text."""

import os
import struct

import archive
import blockfile
import document
import xmlstore
from findings import Refused, Report
from schema import BOOLEAN, DECIMAL, FLOAT, INT16, INT32, INT64, REALS, REFERENCE


def data(content):
    """Judges the bytes of a file (6.2.1)."""
    report = Report()
    if xmlstore.may_begin(content):
        xmlstore.Store(content, report).judge()
        return report
    if not archive.is_packed(content):
        return blockfile.File(content, report).judge().report
    try:
        files = archive.Archive(content)
    except Refused as refused:
        report.add("CONT-020", str(refused))
        return report
    for name in files.damaged:
        report.add("CONT-021", f"{name} is damaged")
    if not files.damaged:
        document.Document(files, report).judge()
    return report


def path(name):
    """Judges a file, the folder of a document, or a packed document."""
    if os.path.isdir(name):
        report = Report()
        document.Document(document.Folder(name), report).judge()
        return report
    with open(name, "rb") as source:
        return data(source.read())


def lines(content):
    """Yields the objects of a valid block file as 4.9 writes them."""
    graph = blockfile.File(content).judge().objects()
    for number, layout in sorted(graph.schema.layouts.items()):
        columns = sorted(layout.columns, key=lambda column: column.name.encode())
        for key, stack in graph.rows[number].items():
            values = ((column, graph.value(stack, column, True)) for column in columns)
            words = [f"{column.name}={word(value, column.kind)}" for column, value in values if value is not None]
            yield " ".join([f"{layout.name} {key}", *words])


def word(value, kind):
    if kind == BOOLEAN:
        return "true" if value else "false"
    if kind in (INT16, INT32, INT64):
        return str(value)
    if kind == REFERENCE:
        return f"{value >> 48}/{value & (1 << 48) - 1}"
    if kind in REALS:
        return struct.pack(">I" if kind == FLOAT else ">Q", value).hex()
    if kind == DECIMAL:
        return "nan" if value == "NaN" else f"{value[0]}e{value[1]}"
    return bytes(value).hex()
