"""Objects and their relationships."""

from . import _arrow
from ._errors import NoObjectError, UnknownNameError
from ._library import call, ffi
from ._query import Query, Request
from ._values import dumps, value_json


class Object:
    """An object of a document. Its properties are attributes, and setting one changes the document at once, until the next
    save or `Document.discard`.

    `object_id` is the identifier, which never changes. A property that has the name of a method, such as `values`, is
    `trip["values"]`.
    """

    __slots__ = ("_document", "object_id", "_batch", "_row", "_generation")

    def __init__(self, document, identifier, batch=None, row=0, generation=-1):
        object.__setattr__(self, "_document", document)
        object.__setattr__(self, "object_id", identifier)
        object.__setattr__(self, "_batch", batch)
        object.__setattr__(self, "_row", row)
        object.__setattr__(self, "_generation", generation)

    @property
    def entity(self):
        """The name of the object's entity."""
        return self._document._entity_name(self.object_id)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __setattr__(self, name, value):
        self.update(**{name: value})

    def __setitem__(self, name, value):
        self.update(**{name: value})

    def __getitem__(self, name):
        batch = self._current()
        if name in batch.places and name not in self._document._references:
            return batch.column(name)[self._row]
        properties = self._document._properties(self.entity)
        kind = properties.get(name)
        if kind is None:
            raise UnknownNameError(
                f"{self.entity} has no property {name!r}. It has: {', '.join(properties)}."
            )
        if kind == "many":
            return Related(self._document, self.object_id, name)
        if name not in batch.places and not any(place.startswith(f"{name}.") for place in batch.places):
            # The query was about a superentity, which lacks the property.
            batch = self._load(self.entity)
        if kind == "one":
            number = batch.column(name)[self._row]
            return None if number is None else Object(self._document, number)
        if name in batch.places:
            return batch.column(name)[self._row]
        prefix = name + "."
        return {
            place[len(prefix) :]: batch.column(place)[self._row]
            for place in batch.places
            if place.startswith(prefix)
        }

    def update(self, **values):
        """Sets several properties: all of them, or none."""
        request = Request(None, {"identifiers": [self.object_id]})
        count = ffi.new("uint64_t *")
        call(
            "quire_set", self._document._handle, request.pointer, dumps(value_json(values)), count
        )
        self._document._changed()
        if count[0] == 0:
            raise NoObjectError(f"The object {self.object_id} was deleted.")

    def delete(self):
        """Deletes the object, and those that the delete rules name."""
        request = Request(None, {"identifiers": [self.object_id]})
        call("quire_delete", self._document._handle, request.pointer, ffi.new("uint64_t *"))
        self._document._changed()

    def values(self):
        """Returns the attributes and the identifiers of to-one relationships as a dictionary."""
        batch = self._load(self.entity)
        return {name: batch.column(name)[self._row] for name in batch.places if name != "@id"}

    def _current(self):
        if self._batch is None or self._generation != self._document._generation:
            return self._load(None)
        return self._batch

    def _load(self, entity):
        parts = {"identifiers": [self.object_id]}
        request = Request(entity or self._document._entity_name(self.object_id), parts)
        pointer = ffi.new(_arrow.STREAM)
        generation = self._document._generation
        call("quire_fetch", self._document._handle, request.pointer, pointer)
        for batch in self._batches(pointer, entity):
            object.__setattr__(self, "_batch", batch)
            object.__setattr__(self, "_row", 0)
            object.__setattr__(self, "_generation", generation)
            return batch
        raise NoObjectError(f"The object {self.object_id} was deleted.")

    def _batches(self, pointer, entity):
        stream = _arrow.Stream(pointer)
        known = self._document._fields
        place = entity or self._document._entity_name(self.object_id)
        if place not in known:
            known[place] = stream.fields()
        return stream.batches(known[place])

    def __eq__(self, other):
        return (
            isinstance(other, Object)
            and self.object_id == other.object_id
            and self._document is other._document
        )

    def __hash__(self):
        return hash(self.object_id)

    def __dir__(self):
        return sorted([*self._document._properties(self.entity), "delete", "entity", "object_id", "update", "values"])

    def __repr__(self):
        number = f"{self.object_id >> 48}/p{self.object_id & ((1 << 48) - 1)}"
        try:
            values = self.values()
        except NoObjectError:
            return f"<{self.entity} {number}, deleted>"
        words = [f"{name}={value!r}" for name, value in list(values.items())[:4]]
        return f"<{self.entity} {number} {' '.join(words)}>"


class Related(Query):
    """The objects of a to-many relationship: a query, in the order of the relationship, that can be changed."""

    def __init__(self, document, owner, relationship):
        super().__init__(document, None, owner=owner, relationship=relationship)

    def add(self, *objects):
        """Adds objects to the relationship."""
        self._relate(1, objects)

    def remove(self, *objects):
        """Removes objects from the relationship."""
        self._relate(2, objects)

    def set(self, objects):
        """Replaces all objects of the relationship."""
        self._relate(0, objects)

    def __contains__(self, item):
        return isinstance(item, Object) and any(other.object_id == item.object_id for other in self)

    def _with(self, **parts):
        return Query(self._document, self._entity, **{**self._parts, **parts})

    def __repr__(self):
        return repr(list(self))

    def _repr_html_(self):
        return Query._repr_html_(self._with())

    def _relate(self, how, objects):
        numbers = [item.object_id for item in objects]
        call(
            "quire_relate", self._document._handle, self._parts["owner"],
            self._parts["relationship"], how, ffi.new("uint64_t[]", numbers or [0]), len(numbers),
        )
        self._document._changed()
