"""An exception for each code of quire.h."""


class QuireError(Exception):
    """A call of Quire failed.

    `code` is the name of the kind of failure, which never changes, and `hint` is the next step or None.
    """

    code = "failed"

    def __init__(self, message, hint=None, code=None):
        super().__init__(message)
        self.message = message
        self.hint = hint
        if code is not None:
            self.code = code

    def __str__(self):
        return self.message if self.hint is None else f"{self.message}\n{self.hint}"


class NotFoundError(QuireError, FileNotFoundError):
    """Nothing is at the path."""

    code = "notFound"


class ExistsError(QuireError, FileExistsError):
    """Something is at the path, or has the name, already."""

    code = "exists"


class NotAStoreError(QuireError):
    """The bytes are not a document or a store of a known type."""

    code = "notAStore"


class NewerFormatError(QuireError):
    """A newer version of Quire wrote the document."""

    code = "newerFormat"


class DamagedError(QuireError):
    """The document contradicts itself."""

    code = "damaged"


class InputOutputError(QuireError, OSError):
    """The disk reported an error."""

    code = "inputOutput"


class ReadOnlyError(QuireError):
    """The document was opened for reading only, or can't be written."""

    code = "readOnly"


class LockedError(QuireError):
    """Another process or connection has the document open for writing."""

    code = "locked"


class ConflictError(QuireError):
    """Another program changed the same objects, or unique values are taken."""

    code = "conflict"


class IncompatibleModelError(QuireError):
    """The model does not fit: a migration is needed, or impossible."""

    code = "incompatibleModel"


class ClosedError(QuireError):
    """The document was closed."""

    code = "closed"


class BadChangeError(QuireError, ValueError):
    """A value is not of the property's type, or the change is impossible."""

    code = "badChange"


class CancelledError(QuireError):
    """`Document.cancel` or the function of progress ended the call."""

    code = "cancelled"


class NotSupportedError(QuireError):
    """The store, or the document, does not support the operation."""

    code = "notSupported"


class ValidationError(QuireError, ValueError):
    """Objects break rules of the model. Nothing was saved."""

    code = "validation"


class QueryError(QuireError, ValueError):
    """A predicate, a sort key or a column can't be read."""

    code = "query"


class UnknownNameError(QuireError, AttributeError):
    """The model has no entity or property of the name."""

    code = "unknownName"


class NoObjectError(QuireError, LookupError):
    """There is no object with the identifier."""

    code = "noObject"


class NoVersionError(QuireError, LookupError):
    """There is no such version or head, or it is not kept any more."""

    code = "noVersion"


class NoAttachmentError(QuireError, LookupError):
    """There is no such attachment."""

    code = "noAttachment"


class BadModelError(QuireError, ValueError):
    """The file of a model can't be read, or its model has faults."""

    code = "badModel"


class BadArgumentError(QuireError, ValueError):
    """An argument has a wrong form."""

    code = "badArgument"


class BadFileError(QuireError, ValueError):
    """A file of objects has lines that can't be imported."""

    code = "badFile"


BY_CODE = {
    kind.code: kind
    for kind in list(globals().values())
    if isinstance(kind, type) and issubclass(kind, QuireError)
}
