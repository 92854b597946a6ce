"""Documents and stores."""

import os
import threading

from ._errors import BadArgumentError, ClosedError, UnknownNameError
from ._library import call, call_for_bytes, call_for_json, ffi, lib, text
from ._object import Object
from ._query import Entity
from ._values import dumps, value_json

ACCESS = {"exclusive": 0, "shared": 1, "read": 2}


def open(path, access="exclusive", *, version=None, store=None, model=None, author=None, progress=None):
    """Opens a document, a packed document, or a store.

    access: "exclusive", so that nobody else writes; "shared", so that others may write too; "read".
    version: a number or a head, such as 3 or "draft~2", for reading.
    store: the name of the store of a document with several stores.
    model: the path of the model of a store that does not contain its own.
    author: the author of saves, for the history.
    progress: a function of the work done and of all work; a true result ends the call.
    """
    if access not in ACCESS:
        raise BadArgumentError(f"access is 'exclusive', 'shared' or 'read', not {access!r}.")
    kept = []
    opening = _structure("quire_opening", kept, access=ACCESS[access], version=version, store=store,
                         model=model, author=author)
    handle = ffi.new("quire_connection **")
    call("quire_open", os.fspath(path), opening, handle)
    return Document(handle[0], progress)


def create(path, model, *, type=None, title=None, author=None, overwrite=False, store=False, progress=None):
    """Makes a document and opens it, or with `store=True` a bare store.

    model: the path of a model in any form, or its text.
    type: "Binary", "CompressedBinary" or "XML".
    """
    kept = []
    is_text = isinstance(model, str) and ("\n" in model or model.lstrip().startswith(("{", "entity")))
    opening = _structure(
        "quire_creation", kept, overwriting=overwrite, is_store=store,
        model=None if is_text else os.fspath(model), model_text=model if is_text else None,
        type=type, title=title, author=author)
    handle = ffi.new("quire_connection **")
    call("quire_create", os.fspath(path), opening, handle)
    return Document(handle[0], progress)


def validate(path, progress=None):
    """Checks a document against every rule of the specification, and returns the report."""
    reporter = _Reporter(progress)
    return call_for_json("quire_validate", os.fspath(path), reporter.pointer)


def migrate(path, model, *, allow_loss=False, progress=None):
    """Migrates a document to the model at a path. Returns whether that was necessary."""
    migrated = ffi.new("int32_t *")
    reporter = _Reporter(progress)
    call("quire_migrate", os.fspath(path), os.fspath(model), int(allow_loss), reporter.pointer, migrated)
    return bool(migrated[0])


def export(path, file, entities=None):
    """Writes the saved objects to a file of JSON lines or comma-separated values. Returns their number."""
    count = ffi.new("uint64_t *")
    names = None if entities is None else dumps(list(entities))
    call("quire_export", os.fspath(path), names, os.fspath(file), count)
    return count[0]


def import_files(path, *files):
    """Imports objects from files of JSON lines or comma-separated values, and saves them. Returns their number."""
    count = ffi.new("uint64_t *")
    call("quire_import", os.fspath(path), dumps([os.fspath(file) for file in files]), count)
    return count[0]


class Document:
    """An open document or store. Its entities are attributes: `doc.Trip`.

    Any thread may use a document. The calls run one after another, and other threads of Python run meanwhile.
    """

    def __init__(self, pointer, progress=None):
        self._pointer = pointer
        self._generation = 0
        self._closing = threading.Lock()
        self._reporter = None
        if progress is not None:
            self.progress(progress)
        self.model = call_for_json("quire_model", self._handle)
        self._entities = {entity["name"]: entity for entity in self.model["entities"]}
        known = self.info()["entities"]
        self._names = {part["number"]: name for name, part in known.items()}
        self._known = {}
        self._fields = {}
        self._references = {
            relationship["name"] for entity in self.model["entities"]
            for relationship in entity.get("relationships", [])
        }

    # --- Opening and closing ----------------------------------------------------------------------

    def close(self):
        """Closes the document, and drops unsaved changes. Closing again does nothing."""
        with self._closing:
            pointer, self._pointer = self._pointer, None
        if pointer is not None:
            call("quire_close", pointer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_pointer", None) is not None:
            lib.quire_close(self._pointer, ffi.NULL)
            self._pointer = None

    @property
    def _handle(self):
        if self._pointer is None:
            raise ClosedError("The document was closed.")
        return self._pointer

    # --- Entities and objects ---------------------------------------------------------------------

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, entity):
        if entity not in self._entities:
            raise UnknownNameError(
                f"The model has no entity {entity!r}. It has: {', '.join(self._entities)}.")
        return Entity(self, entity)

    def __dir__(self):
        return [*super().__dir__(), *self._entities]

    def get(self, identifier):
        """Returns the object with an identifier.

        Raises NoObjectError if there is none.
        """
        found = Object(self, int(identifier))
        found._load(None)
        return found

    def _insert(self, entity, values):
        number = ffi.new("uint64_t *")
        call("quire_insert", self._handle, entity, dumps(value_json(values)), number)
        self._changed()
        return Object(self, number[0])

    def _changed(self):
        # Objects that were read before read their values again.
        self._generation += 1

    def _entity_name(self, identifier):
        name = self._names.get(identifier >> 48)
        if name is None:
            from ._errors import NoObjectError
            raise NoObjectError(f"{identifier} is not the identifier of an object of this document.")
        return name

    def _properties(self, entity):
        """Returns the kinds of the properties of an entity, inherited ones included: value, one or many."""
        known = self._known.get(entity)
        if known is None:
            known = {}
            name = entity
            while name is not None:
                part = self._entities[name]
                for attribute in part.get("attributes", []):
                    known[attribute["name"]] = "value"
                for relationship in part.get("relationships", []):
                    known[relationship["name"]] = "many" if relationship["isToMany"] else "one"
                name = part.get("superentity")
            self._known[entity] = known
        return known

    # --- Saving -----------------------------------------------------------------------------------

    def save(self, message=None):
        """Saves all changes, or none, and returns the number of the new version."""
        version = ffi.new("int64_t *")
        call("quire_save", self._handle, message, version)
        self._changed()
        return version[0]

    def discard(self):
        """Drops all unsaved changes."""
        call("quire_discard", self._handle)
        self._changed()

    def refresh(self):
        """Shows what other programs have saved. Returns whether there was something new."""
        changed = ffi.new("int32_t *")
        call("quire_refresh", self._handle, changed)
        # Another program may have migrated the document.
        self._fields.clear()
        self._changed()
        return bool(changed[0])

    @property
    def has_changes(self):
        """Whether a save would do something."""
        return bool(self._state().has_changes)

    @property
    def version(self):
        """The number of the version that was read or saved last."""
        return self._state().version

    def _state(self):
        state = ffi.new("struct quire_state *")
        state.struct_size = ffi.sizeof("struct quire_state")
        call("quire_get_state", self._handle, state)
        return state

    # --- Undo -------------------------------------------------------------------------------------

    def undo(self):
        """Takes back the last change. Returns whether there was one."""
        return self._step("quire_undo")

    def redo(self):
        """Makes the change again that was taken back last. Returns whether there was one."""
        return self._step("quire_redo")

    def _step(self, function):
        done = ffi.new("int32_t *")
        call(function, self._handle, done)
        self._changed()
        return bool(done[0])

    def step(self, name=None):
        """Makes the changes in a `with` block one step of undo.

            with doc.step("Rename"):
                ...
        """
        return _Step(self, name)

    # --- Versions ---------------------------------------------------------------------------------

    def info(self):
        """Returns a description of the document."""
        return call_for_json("quire_info", self._handle)

    def versions(self):
        """Returns the versions, the oldest first."""
        return call_for_json("quire_versions", self._handle)

    def name_version(self, version, name):
        """Names a version, so that it is kept. None removes the name."""
        call("quire_name_version", self._handle, version, name)

    def revert(self, version, message=None):
        """Restores the content of an earlier version, as a new version."""
        call("quire_revert", self._handle, version, message)
        self._changed()

    def changes(self, since):
        """Returns the saved changes after a version, as dictionaries (the lines of a patch)."""
        import json
        lines = call_for_bytes("quire_changes", self._handle, since).decode()
        return [json.loads(line) for line in lines.splitlines()[1:]]

    def heads(self):
        """Returns the names of the heads, with the open and the current one."""
        return call_for_json("quire_heads", self._handle)

    def make_head(self, name, version=0):
        """Makes a head at a version, or at the newest."""
        call("quire_make_head", self._handle, name, version)

    def remove_head(self, name):
        """Removes a head with its versions."""
        call("quire_remove_head", self._handle, name)

    # --- Attachments ------------------------------------------------------------------------------

    def attachments(self):
        """Returns the names and sizes of the attachments."""
        return call_for_json("quire_attachments", self._handle)

    def attachment(self, name):
        """Returns the bytes of an attachment."""
        return call_for_bytes("quire_read_attachment", self._handle, name)

    def attach(self, name, content):
        """Adds a file to the document with the next save."""
        memory = ffi.from_buffer(content)
        call("quire_attach", self._handle, name, ffi.cast("uint8_t *", memory), len(memory))

    def detach(self, name):
        """Removes an attachment with the next save."""
        call("quire_detach", self._handle, name)

    # --- Long calls -------------------------------------------------------------------------------

    def cancel(self):
        """Ends the call that runs in another thread. It raises CancelledError."""
        lib.quire_cancel(self._handle)

    def progress(self, function):
        """Calls a function with the work done and all work during long calls. A true result ends the call."""
        reporter = _Reporter(function)
        lib.quire_set_progress(self._handle, reporter.pointer)
        # The library copies the structure, and calls the function until it gets another one.
        self._reporter = reporter

    def __repr__(self):
        return "<Document, closed>" if self._pointer is None else f"<Document {self.info()['path']!r}>"

    def _repr_html_(self):
        import html
        info = self.info()
        rows = "".join(
            f"<tr><td>{html.escape(name)}</td><td>{part['count']}</td></tr>"
            for name, part in info["entities"].items())
        return (f"<p>{html.escape(info['path'])}, version {info['version']}</p>"
                f"<table><tr><th>entity</th><th>objects</th></tr>{rows}</table>")


class _Step:
    def __init__(self, document, name):
        self._document = document
        self._name = name

    def __enter__(self):
        call("quire_begin", self._document._handle, self._name)

    def __exit__(self, *_):
        call("quire_end", self._document._handle)


def _structure(name, kept, **members):
    """Returns a structure of parameters. The caller keeps `kept` during the call."""
    structure = ffi.new(f"struct {name} *")
    structure.struct_size = ffi.sizeof(f"struct {name}")
    for member, value in members.items():
        if value is None:
            continue
        if isinstance(value, (bool, int)) and member != "version":
            setattr(structure, member, int(value))
        else:
            passed, memory = text(value)
            kept.append(memory)
            setattr(structure, member, passed)
    return structure


class _Reporter:
    """A function of progress, and the structure that refers to it."""

    def __init__(self, function):
        def report(_, done, total):
            return 1 if function(done, total) else 0

        # An exception in the function ends the call too.
        self.callback = ffi.callback("int32_t(void *, uint64_t, uint64_t)", report, error=1)
        self.pointer = ffi.NULL
        if function is not None:
            self.pointer = ffi.new("struct quire_progress *")
            self.pointer.struct_size = ffi.sizeof("struct quire_progress")
            self.pointer.report = self.callback
