"""The functions of quire.h, called through cffi.

The declarations are read from the header itself, so that they are stated once.
"""

import json
import os
import pathlib
import re

import cffi

from ._errors import BY_CODE, QuireError

FOLDER = pathlib.Path(__file__).parent


def _declarations():
    text = ""
    for module, name in (("CArrow", "CArrow.h"), ("CQuire", "quire.h")):
        header = FOLDER / name
        if not header.exists():
            # The package is used from the repository.
            header = FOLDER.parents[1] / "Sources" / module / "include" / name
        text += header.read_text(encoding="utf-8")
    text = re.sub(r"(?ms)^#ifdef __cplusplus$.*?^#endif", "", text)
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r"(?m)^#.*$", "", text)


ffi = cffi.FFI()
ffi.cdef(_declarations())
lib = ffi.dlopen(os.environ.get("QUIRE_LIBRARY", str(FOLDER / "libquire.so.1")))

ERROR = ffi.typeof("struct quire_error *")
NO_TEXT = ffi.new("struct quire_text *")[0]


def text(value):
    """Returns a text as a parameter, and the memory that the caller keeps during the call."""
    if value is None:
        return NO_TEXT, None
    encoded = str(value).encode()
    memory = ffi.from_buffer(encoded)
    return ffi.new("struct quire_text *", {"start": memory, "count": len(encoded)})[0], encoded


def call(function, *arguments):
    """Calls a function of the library, and raises its error."""
    kept = []
    passed = []
    for argument in arguments:
        if argument is None or isinstance(argument, str):
            argument, memory = text(argument)
            kept.append(memory)
        passed.append(argument)
    error = ffi.new(ERROR)
    code = getattr(lib, function)(*passed, error)
    if code == 0:
        return
    name = ffi.string(lib.quire_code_name(code)).decode()
    message = ffi.string(error.message).decode() if error.message else name
    hint = ffi.string(error.hint).decode() if error.hint else None
    if error.release:
        error.release(error)
    raise BY_CODE.get(name, QuireError)(message, hint, name)


def call_for_bytes(function, *arguments):
    """Calls a function whose result is a buffer, and returns a copy of the bytes."""
    result = ffi.new("struct quire_bytes *")
    call(function, *arguments, result)
    try:
        return bytes(ffi.buffer(result.start, result.count))
    finally:
        result.release(result)


def call_for_json(function, *arguments):
    return json.loads(call_for_bytes(function, *arguments))


def version():
    return ffi.string(lib.quire_version()).decode()
