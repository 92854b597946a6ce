"""Files and documents to judge: the vectors of the specification, and changed ones."""

import os
import sys

import documents
import inline_vectors
import metadata_mutants
import resealing
import xml_mutants

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
RULES = os.path.join(ROOT, "spec/vectors/rules")
sys.path.insert(0, os.path.join(ROOT, "spec/reference"))
import gold  # noqa: E402

# The reader judges no SQLite stores (10), and evaluates no validation predicates (6.3.9). MODL-010 needs a model beside the file.
NOT_JUDGED = ("SQLS", "GRAF-030", "GRAF-031", "MODL-010")


def rule_files():
    """Yields the rule and the path of each vector of the rules that the reader judges."""
    for name in sorted(os.listdir(RULES)):
        rule, _, extension = name.rpartition(".")
        path = os.path.join(RULES, name)
        if extension in ("store", "quire") and not rule.startswith(NOT_JUDGED):
            yield rule, path


def block_file_vectors():
    """Yields the title and the bytes of each vector of the kind `block-file`."""
    yield from ((title, data) for _, title, data, fields in inline_vectors.vectors() if "bytes" in fields)


def gold_contents():
    """Yields the contents of the gold files of stores, and of documents as their files by path. Large files take too long to judge."""
    for feature in gold.all_features().values():
        content, _ = feature.make()
        if feature.kind == "document":
            yield content
        # The mutants of XML stores are changed as UTF-8.
        elif feature.kind != "packed document" and len(content) < 20_000 and content[:2] != b"\xff\xfe":
            yield content


def is_valid(path):
    with open(path.rsplit(".", 1)[0] + ".txt", encoding="utf-8") as report:
        return ": valid" in report.read()


def corpus():
    """Yields the folders of the recorded documents of each version of the format."""
    folder = os.path.join(ROOT, "Tests/DocumentsTests/Corpus")
    for base, folders, _ in os.walk(folder):
        for name in sorted(folders):
            path = os.path.join(base, name)
            if name.endswith(".quire"):
                yield path


class Mutants:
    """Makes changed files and documents in a folder."""

    def __init__(self, source, folder):
        self.source, self.folder = source, folder
        paths = [path for _, path in rule_files() if is_valid(path)]
        contents = [data for _, data in block_file_vectors()]
        for path in [os.path.join(ROOT, "Examples/Trips.store"), *(path for path in paths if path.endswith(".store"))]:
            with open(path, "rb") as file:
                contents.append(file.read())
        folders = [*(path for path in paths if path.endswith(".quire")), *corpus()]
        self.documents = [documents.Source(documents.read_folder(path)) for path in folders]
        for content in gold_contents():
            if isinstance(content, bytes):
                contents.append(content)
            else:
                self.documents.append(documents.Source(content))
        self.stores = []
        self.xml_stores = [data for data in contents if data.lstrip()[:1] == b"<"]
        self.xml_stores += [
            data for document in self.documents for name, data in document.files.items()
            if name.startswith("stores/") and name.endswith(".xml")]
        for data in contents:
            try:
                self.stores.append(resealing.Source(data))
            except AssertionError:
                continue
        self.stores += [store for document in self.documents for store in document.stores.values()]
        # A commit is added behind the stores that end with their last commit.
        self.whole = [store for store in self.stores if store.file.commits[0][0].end == len(store.data)]

    def path(self, number, extension):
        return os.path.join(self.folder, f"{number}.{extension}")

    def make(self, number):
        """Makes a mutant, and returns its path."""
        source, kind = self.source, number % 10
        if kind < 5:
            return self.write(self.path(number, "store"), source.choice(self.stores).mutant(source))
        if kind == 5:
            return self.write(self.path(number, "xml"), xml_mutants.mutant(source, source.choice(self.xml_stores)))
        if kind == 6:
            return self.write(self.path(number, "store"), metadata_mutants.mutant(source, source.choice(self.whole).data))
        files = source.choice(self.documents).mutant(source)
        if kind < 9:
            try:
                documents.write_folder(files, self.path(number, "quire"))
            except OSError:
                # A change made a file and a folder of one name.
                documents.write_folder(source.choice(self.documents).files, self.path(f"{number}-2", "quire"))
                return self.path(f"{number}-2", "quire")
            return self.path(number, "quire")
        data = documents.packed(source, files)
        if source.random() < 0.6:
            data = documents.changed_archive(source, data)
        return self.write(self.path(number, "quire"), data)

    @staticmethod
    def write(path, data):
        with open(path, "wb") as file:
            file.write(data)
        return path
