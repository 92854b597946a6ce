"""What a file or a document contains, as text: the objects (4.9, 5.8), and the versions and attachments of a document."""

import archive
import blockfile
import document
import identity
import xmlstore
from findings import Refused, Report
from model import Relationship
from schema import REFERENCE, word


def graph_lines(graph):
    """The rows of a block file as 4.9 writes them."""
    for number, layout in sorted(graph.schema.layouts.items()):
        columns = sorted(layout.columns, key=lambda column: column.name.encode())
        for key, stack in graph.rows[number].items():
            values = ((column, graph.value(stack, column, True)) for column in columns)
            words = [f"{column.name}={word(value, column.kind)}" for column, value in values if value is not None]
            yield " ".join([f"{layout.name} {key}", *words])


class Objects:
    """The objects of a graph with their relationships (3.2.4), by the name of the entity and the key."""

    def __init__(self, graph):
        self.graph, self.related = graph, {}
        for layout in graph.schema.entities.values():
            for name, member in graph.model.properties(graph.model.entities[layout.name]).items():
                if isinstance(member, Relationship) and not member.is_transient and not member.is_to_many:
                    self.read_to_one(layout, member, graph.model.inverse(member))
        for table in graph.schema.tables:
            self.read_links(table)

    def object(self, key):
        return self.graph.schema.entities[key >> 48].name, key & (1 << 48) - 1

    def lead(self, owner, name, place, target):
        """Notes that an object leads to another. Without a place it comes first, and equal places go by key."""
        lists = self.related.setdefault(self.object(owner), {}).setdefault(name, {})
        order = (place is not None, place or 0, target)
        lists[target] = min(order, lists.get(target, order))

    def read_to_one(self, layout, member, inverse):
        column, order = layout.by_name[member.name], layout.by_name.get(f"{member.name}#order")
        for key, row in self.graph.rows[layout.number].items():
            target = self.graph.value(row, column)
            if target is None or not self.graph.is_there(target):
                continue
            source = layout.number << 48 | key
            self.lead(source, member.name, None, target)
            if inverse is not None and inverse.is_to_many:
                self.lead(target, inverse.name, self.graph.value(row, order) if order else None, source)

    def read_links(self, table):
        columns = [table.layout.by_number.get(number) for number in (1, 2, 3, 4)]
        names = [next(iter(self.graph.relationships(end).values())).name if end else None for end in (table.forward, table.backward)]
        is_own_inverse = table.forward == table.backward
        for row in self.graph.rows[table.number].values():
            source, target, target_place, source_place = (self.graph.value(row, one) if one else None for one in columns)
            if not (self.graph.is_there(source) and self.graph.is_there(target)):
                continue
            self.lead(source, names[0], target_place, target)
            if names[1] and not (is_own_inverse and source == target):
                self.lead(target, names[1], source_place, source)

    def __iter__(self):
        """Yields the name of the entity, the key, the attributes as (kind, value) and the objects of each relationship, by name."""
        graph = self.graph
        for layout in sorted(graph.schema.entities.values(), key=lambda one: one.name.encode()):
            columns = [one for one in layout.columns if one.kind != REFERENCE and not one.name.endswith("#order")]
            for key, row in sorted(graph.rows[layout.number].items()):
                values = {column.name: (column.kind, graph.value(row, column, True)) for column in columns}
                related = {name: [self.object(target) for _, _, target in sorted(found.values())]
                           for name, found in self.related.get((layout.name, key), {}).items()}
                yield layout.name, key, {name: one for name, one in values.items() if one[1] is not None}, related


def xml_lines(graph):
    """The objects of an XML store as 5.8 writes them, with the words of 4.9 for values."""
    for name, key, values, related in Objects(graph):
        words = {one: word(value, kind) for one, (kind, value) in values.items()}
        words.update((one, ",".join(str(number) for _, number in objects)) for one, objects in related.items())
        yield " ".join([f"{name} {key}", *(f"{one}={words[one]}" for one in sorted(words, key=str.encode))])


def graph_of(data, counting=None, is_log=False):
    """The graph of a valid store, and the function that writes its objects."""
    report = Report()
    if xmlstore.may_begin(data):
        store = xmlstore.Store(data, report)
        store.judge()
        if report.error_count or store.model is None:
            raise Refused("5.2", "; ".join(message for _, message in report.findings) or "the document does not contain its model")
        return xmlstore.PlainGraph(store.rows, store.model, store.schema, Report()), xml_lines
    return blockfile.File(data, report, counting, is_log).judge().objects(), graph_lines


def heads(files):
    """The heads of a valid document, `main` first."""
    report = Report()
    found = document.Document(files, report)
    found.judge()
    if report.verdict != "valid":
        raise Refused("7", "; ".join(message for _, message in report.findings))
    return found.heads


def store_graphs(files, head):
    """Yields each store of a head, and its graph, and the function that writes the objects."""
    for store in head.manifest.stores:
        yield (store, *graph_of(files.read(store["file"]), store["commit"], store["name"] == head.log))


def head_lines(files, head):
    graphs = {}
    for store, graph, write in store_graphs(files, head):
        graphs[store["uuid"]] = graph
        yield f"store {store['name']}"
        yield from write(graph)
    yield from (f"version {number}" for number in head.manifest.versions)
    yield f"identity {head.manifest.versions[-1]} {identity.of_newest(head.manifest, graphs)}"
    for one in sorted(head.manifest.attachments, key=lambda one: (one["name"].encode(), one["content"])):
        if one["until"] is None:
            yield f"attachment {one['name'].encode().hex()} {one['byteCount']}" + (" content" if one["content"] else "")


def document_lines(files):
    """The lines of `main`, and of each other head behind its name."""
    for head in heads(files):
        if head.name != "main":
            yield f"head {head.name}"
        yield from head_lines(files, head)


def lines(data):
    """Yields the lines of a file."""
    if archive.is_packed(data):
        yield from document_lines(archive.Archive(data))
        return
    graph, write = graph_of(data)
    yield from write(graph)
