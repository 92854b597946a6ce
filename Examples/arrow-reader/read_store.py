#!/usr/bin/env python3
"""Reads the rows of a store through its plug-in, into pyarrow: a host of the C interface in a page of Python.

    python3 read_store.py libBinaryStorePlugin.so Binary Trips.store 2

prints the rows of entity 2 as pyarrow has them. Nothing of Quire is needed but the plug-in and its header: the
batches cross as Arrow arrays, and pyarrow takes them over as they are.
"""

import errno
import os
import pathlib
import re
import socket
import stat
import sys
import time

import cffi
import pyarrow

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = [
    ROOT / "Sources/CArrow/include/CArrow.h",
    ROOT / "Sources/CStorePlugin/include/quire_store_plugin.h",
]


def definitions():
    """What the headers declare, without what is for a preprocessor."""
    text = "\n".join(header.read_text() for header in HEADERS)
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r'#ifdef __cplusplus.*?#endif', "", text, flags=re.S)
    return re.sub(r"^\s*#[^\n]*$", "", text, flags=re.M)


ffi = cffi.FFI()
ffi.cdef(definitions() + "const struct QuirePlugin *quire_store_plugin(uint32_t host_abi_version);")
KINDS = [(stat.S_ISREG, 0), (stat.S_ISDIR, 1), (stat.S_ISLNK, 2)]


def answering(signature):
    """A function that C calls: what the system refuses becomes a number below zero."""

    def wrap(body):
        def call(*arguments):
            try:
                return body(*arguments)
            except OSError as error:
                return -(error.errno or errno.EIO)

        return ffi.callback(signature, call)

    return wrap


def path_of(text):
    return os.fsdecode(ffi.string(text))


def fill(place, found):
    place.kind = next((number for test, number in KINDS if test(found.st_mode)), 3)
    place.permissions = stat.S_IMODE(found.st_mode)
    place.byte_count, place.modified = found.st_size, found.st_mtime_ns
    place.device, place.inode, place.name_count = found.st_dev, found.st_ino, found.st_nlink
    return 0


class Host:
    """What a plug-in asks of whoever loads it, for reading only."""

    def __init__(self):
        self.kept = []
        self.disk = ffi.new("struct QuireDisk *")
        self.host = ffi.new("struct QuireHost *")
        self.disk.struct_size = ffi.sizeof("struct QuireDisk")
        self.host.struct_size = ffi.sizeof("struct QuireHost")
        self.host.abi_version = 1
        self.host.disk = self.disk

        @answering("int32_t(void *, const char *, int32_t, uint32_t, const char *)")
        def open_(_, path, mode, permissions, below):
            if mode & 3:
                return -errno.EROFS
            return os.open(path_of(path), os.O_RDONLY | os.O_CLOEXEC)

        @answering("int64_t(void *, int32_t, void *, uint64_t, uint64_t)")
        def read(_, file, buffer, count, offset):
            return os.preadv(file, [ffi.buffer(buffer, count)], offset)

        @answering("int32_t(void *, int32_t)")
        def close(_, file):
            os.close(file)
            return 0

        @answering("int32_t(void *, int32_t, struct QuireFileStatus *)")
        def status(_, file, place):
            return fill(place, os.fstat(file))

        @answering("int32_t(void *, const char *, int32_t, struct QuireFileStatus *)")
        def status_of(_, path, following, place):
            return fill(place, os.stat(path_of(path), follow_symlinks=bool(following)))

        @answering("int32_t(void *, int32_t, int32_t(*)(void *, const char *, int32_t), void *)")
        def list_(_, directory, entry, context):
            for found in os.scandir(directory):
                kind = 0 if found.is_file() else 1 if found.is_dir() else 3
                if entry(context, ffi.new("char[]", os.fsencode(found.name)), kind):
                    break
            return 0

        @answering("void(void *, struct QuireProcess *)")
        def process(_, place):
            name = os.fsencode(socket.gethostname())[:255]
            ffi.memmove(place.host_name, name, len(name))
            place.process_id = os.getpid()

        @answering("uint64_t(void *)")
        def uptime(_):
            return time.monotonic_ns()

        for name, function in [
            ("open", open_), ("read", read), ("close", close), ("status", status),
            ("status_of", status_of), ("list", list_), ("process", process), ("uptime", uptime),
        ]:
            setattr(self.disk, name, function)
            self.kept.append(function)

        @answering("int32_t(void *, uint64_t, uint64_t)")
        def progress(_, done, total):
            return 0

        self.host.progress = progress
        self.kept.append(progress)


class Failure(Exception):
    pass


def check(code, error):
    if code == 0:
        return
    words = ffi.string(error.message).decode() if error.message else "no reason was given"
    if error.release:
        error.release(error)
    raise Failure(f"{words} (code {code})")


def batches(library, type_name, path, entity):
    """The rows that a store has put of an entity, as record batches."""
    loaded = ffi.dlopen(str(library))
    plugin = loaded.quire_store_plugin(1)
    if plugin == ffi.NULL or plugin.abi_version != 1:
        raise Failure("The plug-in speaks another version of the interface.")
    types = [plugin.types[i] for i in range(plugin.type_count)]
    wanted = next((t for t in types if ffi.string(t.name).decode() == type_name), None)
    if wanted is None:
        raise Failure(f"The plug-in has no type {type_name!r}.")

    host, error = Host(), ffi.new("struct QuireError *")
    opening = ffi.new("struct QuireOpening *")
    opening.struct_size, opening.read_only, opening.commit = ffi.sizeof("struct QuireOpening"), 1, -1
    store = ffi.new("struct QuireStore **")
    snapshot = ffi.new("struct QuireSnapshot **")
    name = ffi.new("char[]", os.fsencode(path))
    check(plugin.open(host.host, wanted, name, opening, store, error), error)
    try:
        check(plugin.snapshot(store[0], snapshot, error), error)
        tables, found = [], []

        @ffi.callback("int32_t(void *, const struct QuireTable *)")
        def take_table(_, table):
            tables.append(table.id)
            return 0

        @ffi.callback("int32_t(void *, struct ArrowSchema *, struct ArrowArray *)")
        def take_rows(_, schema, array):
            # pyarrow moves both structures out, and releases what they lead to when it is done with it.
            found.append(pyarrow.RecordBatch._import_from_c(
                int(ffi.cast("uintptr_t", array)), int(ffi.cast("uintptr_t", schema))))
            return 0

        check(plugin.tables(snapshot[0], take_table, ffi.NULL, error), error)
        for table in tables:
            check(plugin.rows(snapshot[0], table, entity, 0, take_rows, ffi.NULL, error), error)
        plugin.release_snapshot(snapshot[0])
        return found
    finally:
        plugin.close(store[0], error)
        plugin.release_store(store[0])


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    library, type_name, path, entity = sys.argv[1:]
    try:
        for batch in batches(library, type_name, path, int(entity)):
            print(batch.schema.to_string(show_schema_metadata=False, show_field_metadata=False))
            for row in batch.to_pylist():
                print(row)
    except (Failure, OSError) as problem:
        sys.exit(f"error: {problem}")


if __name__ == "__main__":
    main()
