"""Documents of Quire: objects with relationships, versions and undo in a file that has its own model.

    import quire

    with quire.open("Trips.quire") as doc:
        for trip in doc.Trip.where("stops.@count >= 2").order_by("-start"):
            print(trip.name, [stop.name for stop in trip.stops])
        doc.Trip.add(name="Douro")
        doc.save("Planned")
"""

from ._document import Document, create, export, import_files, migrate, open, validate
from ._errors import (
    BadArgumentError,
    BadChangeError,
    BadFileError,
    BadModelError,
    CancelledError,
    ClosedError,
    ConflictError,
    DamagedError,
    ExistsError,
    IncompatibleModelError,
    InputOutputError,
    LockedError,
    NewerFormatError,
    NoAttachmentError,
    NoObjectError,
    NotAStoreError,
    NotFoundError,
    NotSupportedError,
    NoVersionError,
    QueryError,
    QuireError,
    ReadOnlyError,
    UnknownNameError,
    ValidationError,
)
from ._library import version as _version
from ._object import Object, Related
from ._query import Query

__version__ = _version()

__all__ = [
    "BadArgumentError", "BadChangeError", "BadFileError", "BadModelError", "CancelledError",
    "ClosedError", "ConflictError", "DamagedError", "Document", "ExistsError",
    "IncompatibleModelError", "InputOutputError", "LockedError", "NewerFormatError",
    "NoAttachmentError", "NoObjectError", "NoVersionError", "NotAStoreError", "NotFoundError",
    "NotSupportedError", "Object", "Query", "QueryError", "QuireError", "ReadOnlyError", "Related",
    "UnknownNameError", "ValidationError", "create", "export", "import_files", "migrate", "open",
    "validate",
]
