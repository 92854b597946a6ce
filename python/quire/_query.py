"""Queries: objects of an entity that meet conditions, in an order."""

import html

from . import _arrow
from ._errors import NoObjectError, QueryError
from ._library import call, call_for_bytes, ffi
from ._values import argument_json, dumps, value_json


REQUEST = ffi.typeof("struct quire_request *")
REQUEST_SIZE = ffi.sizeof("struct quire_request")


class Query:
    """Objects of an entity. Each method returns another query, and nothing is read before the objects are used.

        trips = doc.Trip.where("budget > %@", 500).order_by("-start")[:10]
        for trip in trips: ...
        trips.to_pandas()
    """

    def __init__(self, document, entity, **parts):
        self._document = document
        self._entity = entity
        self._parts = parts

    def _with(self, **parts):
        return Query(self._document, self._entity, **{**self._parts, **parts})

    # --- Conditions -------------------------------------------------------------------------------

    def where(self, predicate=None, /, *arguments, **values):
        """Keeps the objects that meet a predicate in the language of NSPredicate, and have some values.

            doc.Trip.where("start > %@ AND stops.@count > 2", date(2026, 5, 1), name="Lisbon")
        """
        condition, given = self._parts.get("condition"), list(self._parts.get("arguments", []))
        parts = [] if predicate is None else [predicate]
        given += arguments
        for name, value in values.items():
            parts.append("%K == %@")
            given += [name, value]
        for part in parts:
            condition = part if condition is None else f"({condition}) AND ({part})"
        return self._with(condition=condition, arguments=given)

    def order_by(self, *keys):
        """Sorts by key paths, the most significant first. A leading - sorts in descending order."""
        return self._with(sort=",".join(keys))

    def limit(self, count):
        """Takes at most the first objects."""
        return self[:count]

    def __getitem__(self, key):
        if isinstance(key, slice):
            start, stop = key.start or 0, key.stop
            if key.step not in (None, 1) or start < 0 or (stop is not None and stop < 0):
                raise QueryError("A query can be sliced from the start alone: query[10:20].")
            offset, limit = self._parts.get("offset", 0), self._parts.get("limit")
            count = None if stop is None else max(stop - start, 0)
            if limit is not None:
                rest = max(limit - start, 0)
                count = rest if count is None else min(count, rest)
            return self._with(offset=offset + start, limit=count)
        if key < 0:
            raise QueryError("A query has no end to count from. Sort in the other direction.")
        found = self[key : key + 1].first()
        if found is None:
            raise IndexError("The query finds fewer objects.")
        return found

    def only(self):
        """Leaves out the objects of subentities."""
        return self._with(without_subentities=True)

    def select(self, *columns):
        """Chooses the columns of tables: key paths and expressions, such as "trip.name" or "sum:(nights)"."""
        return self._with(columns=list(columns))

    def group_by(self, *paths):
        """Makes groups of equal values. `select` names the values of each group."""
        return self._with(groups=list(paths))

    def having(self, predicate):
        """Keeps the groups that meet a predicate, such as "count() > 3"."""
        return self._with(having=predicate)

    def distinct(self):
        """Shows equal rows of the selected columns once."""
        return self._with(distinct=True)

    # --- Objects ----------------------------------------------------------------------------------

    def __iter__(self):
        from ._object import Object

        if self._parts.get("columns") is not None or self._parts.get("groups"):
            yield from self.rows()
            return
        generation = self._document._generation
        stream = self._stream()
        for batch in stream.batches(self._fields(stream)):
            for row, number in enumerate(batch.column("@id")):
                yield Object(self._document, number, batch, row, generation)

    def __len__(self):
        return self.count()

    def __bool__(self):
        return self.first() is not None

    def count(self):
        """Returns the number of results."""
        if self._parts.get("limit") == 0:
            return 0
        count = ffi.new("uint64_t *")
        request = self._request()
        call("quire_count", self._document._handle, request.pointer, count)
        return count[0]

    def first(self):
        """Returns the first object, or None."""
        return next(iter(self[:1]), None)

    def one(self):
        """Returns the only object.

        Raises NoObjectError if there is none, and QueryError if there are several.
        """
        found = list(self[:2])
        if not found:
            raise NoObjectError(f"No object of {self._entity} meets the condition.")
        if len(found) > 1:
            raise QueryError(f"More than one object of {self._entity} meets the condition.")
        return found[0]

    def rows(self):
        """Yields each row of the selected columns as a dictionary."""
        for batch in self._stream().batches():
            names = [name for name, _, _ in batch.fields]
            for values in zip(*(batch.column(name) for name in names)):
                yield dict(zip(names, values))

    # --- Changes ----------------------------------------------------------------------------------

    def update(self, **values):
        """Sets values of all objects, and returns their number."""
        count = ffi.new("uint64_t *")
        request = self._request()
        call("quire_set", self._document._handle, request.pointer, dumps(value_json(values)), count)
        self._document._changed()
        return count[0]

    def delete(self):
        """Deletes all objects, and those that the delete rules name. Returns their number."""
        count = ffi.new("uint64_t *")
        request = self._request()
        call("quire_delete", self._document._handle, request.pointer, count)
        self._document._changed()
        return count[0]

    # --- Tables -----------------------------------------------------------------------------------

    def __arrow_c_stream__(self, requested_schema=None):
        return _arrow.capsule(self._stream())

    def to_arrow(self):
        """Returns a table of pyarrow. A column of decimals has the scale of its longest value."""
        import pyarrow

        stream = self._stream()
        address = int(ffi.cast("uintptr_t", stream.pointer))
        table = pyarrow.RecordBatchReader._import_from_c(address).read_all()
        for index, field in enumerate(table.schema):
            if field.metadata and field.metadata.get(b"ARROW:extension:name") == b"quire.decimal":
                table = _with_decimals(table, index, field)
        return table

    def to_pandas(self, **options):
        """Returns a data frame of pandas. The options are those of pyarrow.Table.to_pandas."""
        import pandas
        import pyarrow

        table = self.to_arrow()
        # Identifiers with gaps would become floating-point numbers, which have too few digits.
        identifiers = {pyarrow.uint64(): pandas.UInt64Dtype()}
        options.setdefault("types_mapper", identifiers.get)
        # Columns of Python's dates are slow, and have no parts.
        options.setdefault("date_as_object", False)
        return table.to_pandas(**options)

    def to_polars(self):
        """Returns a data frame of polars."""
        import polars

        return polars.from_arrow(self.to_arrow())

    def explain(self):
        """Answers the query, and returns how: the indexes and scans, the rows that were read, and the time."""
        request = self._request()
        return call_for_bytes("quire_explain", self._document._handle, request.pointer).decode()

    def _repr_html_(self):
        rows = list(self[:11].rows())
        names = [name for name in (rows[0] if rows else {}) if name != "@id"]

        def cells(kind, words):
            return "".join(f"<{kind}>{html.escape(word)}</{kind}>" for word in words)

        def shown(value):
            text = "" if value is None else str(value)
            return text if len(text) <= 60 else text[:59] + "…"

        lines = [f"<tr>{cells('th', names)}</tr>"]
        lines += [f"<tr>{cells('td', [shown(row[name]) for name in names])}</tr>" for row in rows[:10]]
        count = self.count()
        return (
            f"<table>{''.join(lines)}</table>"
            f"<p>{html.escape(self._entity)}: {count} {'row' if count == 1 else 'rows'}</p>"
        )

    def __repr__(self):
        words = [self._entity]
        words += [f"where {self._parts['condition']}"] if self._parts.get("condition") else []
        words += [f"by {self._parts['sort']}"] if self._parts.get("sort") else []
        return f"<Query {' '.join(words)}>"

    # --- Requests ---------------------------------------------------------------------------------

    def _fields(self, stream):
        """Returns the columns of a stream of objects, which are the same for all queries of an entity."""
        known = self._document._fields
        place = self._entity or (self._parts["owner"] >> 48, self._parts["relationship"])
        if place not in known:
            known[place] = stream.fields()
        return known[place]

    def _request(self):
        return Request(self._entity, self._parts)

    def _stream(self):
        pointer = ffi.new(_arrow.STREAM)
        parts = self._parts
        if parts.get("limit") == 0:
            # A limit of 0 means no limit to the library.
            parts = {**parts, "condition": "FALSEPREDICATE", "arguments": [], "limit": None}
        request = Request(self._entity, parts)
        call("quire_fetch", self._document._handle, request.pointer, pointer)
        return _arrow.Stream(pointer)


class Entity(Query):
    """All objects of an entity, and the way to new ones."""

    def add(self, **values):
        """Inserts an object, and returns it.

            doc.Trip.add(name="Douro", start=date(2026, 5, 1), travellers=[ana, rui])
        """
        return self._document._insert(self._entity, values)

    def add_all(self, rows):
        """Inserts an object for each row of a data frame, a table of Arrow or a list of dictionaries.

        The columns are attributes and to-one relationships. Returns the number of objects.
        """
        held, stream = _arrow.rows_of(rows)
        count = ffi.new("uint64_t *")
        try:
            call("quire_insert_rows", self._document._handle, self._entity, stream, count)
        finally:
            del held
        self._document._changed()
        return count[0]

    def get(self, identifier):
        """Returns the object with an identifier.

        Raises NoObjectError if there is none.
        """
        return self._document.get(identifier)


class Request:
    """The structure of a request, with the memory that it refers to."""

    def __init__(self, entity, parts):
        self._kept = []
        self.pointer = ffi.new(REQUEST)
        self.pointer.struct_size = REQUEST_SIZE
        self._set("entity", entity)
        self._set("predicate", parts.get("condition"))
        if parts.get("arguments"):
            self._set("arguments", dumps([argument_json(value) for value in parts["arguments"]]))
        self._set("sort", parts.get("sort"))
        for name in ("columns", "groups"):
            if parts.get(name) is not None:
                self._set(name, dumps(parts[name]))
        self._set("having", parts.get("having"))
        self._set("relationship", parts.get("relationship"))
        self.pointer.limit = parts.get("limit") or 0
        self.pointer.offset = parts.get("offset", 0)
        self.pointer.owner = parts.get("owner", 0)
        self.pointer.without_subentities = parts.get("without_subentities", False)
        self.pointer.distinct = parts.get("distinct", False)
        if parts.get("identifiers") is not None:
            numbers = ffi.new("uint64_t[]", parts["identifiers"] or [0])
            self._kept.append(numbers)
            self.pointer.identifiers = numbers
            self.pointer.identifier_count = len(parts["identifiers"])

    def _set(self, name, value):
        if value is None:
            return
        encoded = str(value).encode()
        memory = ffi.from_buffer(encoded)
        self._kept += [encoded, memory]
        member = getattr(self.pointer, name)
        member.start = memory
        member.count = len(encoded)


def _with_decimals(table, index, field):
    import pyarrow
    import pyarrow.compute as compute

    texts = table.column(index)
    point = compute.find_substring(texts, ".")
    digits = compute.subtract(compute.subtract(compute.binary_length(texts), point), 1)
    scale = compute.max(compute.if_else(compute.less(point, 0), 0, digits)).as_py() or 0
    try:
        numbers = compute.cast(texts, pyarrow.decimal128(38, scale))
    except pyarrow.ArrowInvalid:
        # A value has more digits than Arrow's decimals, so the column stays text.
        return table
    return table.set_column(index, field.name, numbers)
