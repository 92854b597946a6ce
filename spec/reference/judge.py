"""What a path is, its report, and its contents as text."""

import os

import archive
import blockfile
import contents
import document
import xmlstore
from findings import Refused, Report


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



def lines(name):
    """Yields the lines of what a path is (4.9, 5.8), if it is valid."""
    if os.path.isdir(name):
        yield from contents.document_lines(document.Folder(name))
        return
    with open(name, "rb") as source:
        yield from contents.lines(source.read())
