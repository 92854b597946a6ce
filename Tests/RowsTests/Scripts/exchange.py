"""Exchanges rows with the library named first, through the Arrow C Data Interface.

Ends with 0 and "ok" when every check holds. Ends with 77 where pyarrow is not installed.
"""

import ctypes
import sys
import uuid

try:
    import pyarrow as pa
    from pyarrow.cffi import ffi
except ImportError as missing:
    print(missing)
    sys.exit(77)

library = ctypes.CDLL(sys.argv[1])
library.quire_arrow_sample.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
library.quire_arrow_describe.restype = ctypes.c_ssize_t
library.quire_arrow_describe.argtypes = [
    ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_ssize_t]


def places():
    array, schema = ffi.new("struct ArrowArray*"), ffi.new("struct ArrowSchema*")
    return array, schema, int(ffi.cast("uintptr_t", array)), int(ffi.cast("uintptr_t", schema))


def same(found, wanted, what):
    if found != wanted:
        sys.exit(f"{what}:\n  found  {found!r}\n  wanted {wanted!r}")


# What Quire writes, read by pyarrow.
array, schema, array_place, schema_place = places()
same(library.quire_arrow_sample(array_place, schema_place), 0, "quire_arrow_sample")
batch = pa.RecordBatch._import_from_c(array_place, schema_place)
batch.validate(full=True)

same(batch.schema.metadata, {b"quire.rows": b"put"}, "metadata")
storage = {field.name: getattr(field.type, "storage_type", field.type) for field in batch.schema}
same(storage, {
    "#key": pa.uint64(), "#version": pa.int64(), "boolean": pa.bool_(), "int16": pa.int16(),
    "int32": pa.int32(), "int64": pa.int64(), "float": pa.float32(), "double": pa.float64(),
    "date": pa.float64(), "decimal": pa.utf8(), "string": pa.utf8(), "uri": pa.utf8(),
    "binary": pa.binary(), "uuid": pa.binary(16), "reference": pa.uint64(),
}, "types")
names = {field.name: field.metadata[b"ARROW:extension:name"].decode()
         for field in batch.schema if field.metadata}
if "uuid" not in names:  # A pyarrow that knows the type takes the name out of the metadata.
    names["uuid"] = batch.schema.field("uuid").type.extension_name
same(names, {
    "date": "quire.date", "decimal": "quire.decimal", "uri": "quire.uri", "uuid": "arrow.uuid",
    "reference": "quire.reference"}, "extension names")


def plain(value):
    return value.bytes if isinstance(value, uuid.UUID) else value


identifier = uuid.UUID("6FB9DF54-A60E-4A15-8C3B-1D2E3F405162").bytes
rows = [{name: plain(value) for name, value in row.items()} for row in batch.to_pylist()]
nulls = dict.fromkeys(list(rows[0])[2:])
same(rows, [
    {"#key": 3, "#version": 41, "boolean": True, "int16": -2, "int32": 70000, "int64": 1 << 40,
     "float": 0.5, "double": 12.34, "date": 600000000.25, "decimal": "-10.5",
     "string": "Lisboa é linda", "uri": "https://example.org/", "binary": b"\x00\xff",
     "uuid": identifier, "reference": 2 << 48 | 5},
    {"#key": 4, "#version": 41, **nulls},
    {"#key": 9, "#version": 41, "boolean": False, "int16": -32768, "int32": 2**31 - 1,
     "int64": -2**63, "float": -0.25, "double": float("inf"), "date": -1.0,
     "decimal": "12345678901234567890.123", "string": "", "uri": "urn:x", "binary": b"",
     "uuid": identifier, "reference": 1 << 48 | 1},
], "rows")


# What pyarrow writes, read by Quire.
def describe(batch):
    array, schema, array_place, schema_place = places()
    batch._export_to_c(array_place, schema_place)
    target = ctypes.create_string_buffer(1 << 16)
    count = library.quire_arrow_describe(array_place, schema_place, target, len(target))
    same(bool(array.release) or bool(schema.release), False, "still to be released")
    return target.raw[:count].decode()


same(describe(batch),
     "3 boolean=true int16=-2 int32=70000 int64=1099511627776 float=0.5 double=12.34"
     " date=600000000.25 decimal=-10.5 string='Lisboa é linda' uri='https://example.org/'"
     " binary=0,255 uuid=6FB9DF54-A60E-4A15-8C3B-1D2E3F405162 reference=2/5\n"
     "4 boolean=null int16=null int32=null int64=null float=null double=null date=null"
     " decimal=null string=null uri=null binary=null uuid=null reference=null\n"
     "9 boolean=false int16=-32768 int32=2147483647 int64=-9223372036854775808 float=-0.25"
     " double=inf date=-1.0 decimal=12345678901234567890.123 string='' uri='urn:x' binary="
     " uuid=6FB9DF54-A60E-4A15-8C3B-1D2E3F405162 reference=1/1\n", "there and back")

made = pa.record_batch({
    "#key": pa.array([1, 2, 5, 7, 8, 10, 11, 20, 21, 22], pa.uint64()),
    "boolean": pa.array([True, None, False, True, True, False, None, True, True, True]),
    "string": pa.array(["a", "bc", None, "d\u00e9f", "", "g", "h", "i", "j", "k"], pa.large_utf8()),
    "int32": pa.array([None, 1, 2, 3, 4, 5, 6, 7, 8, 9], pa.int32()),
})
same(describe(made.slice(1, 4)),
     "2 boolean=null int32=1 string='bc'\n5 boolean=false int32=2 string=null\n"
     "7 boolean=true int32=3 string='déf'\n8 boolean=true int32=4 string=''\n", "a slice")
same(describe(made.slice(0, 0)), "", "no rows")
same(describe(made.rename_columns(["#key", "boolean", "strin", "int32"])),
     "error: Column 'strin': The entity 'Everything' has no column of this name."
     " Did you mean \"string\"?\n", "a wrong name")
same(describe(made.set_column(3, "int32", pa.array(list("abcdefghij")).dictionary_encode())),
     "error: Column 'int32': Dictionaries can't be read. Give the values themselves.\n",
     "a dictionary")

changed = pa.record_batch({
    "#key": pa.array([4, 6], pa.uint64()), "#basis": pa.array([1, 2], pa.int64()),
    "string": pa.array(["x", None]), "string#given": pa.array([True, False]),
    "int16": pa.array([None, 3], pa.int16()),
}).replace_schema_metadata({"quire.rows": "changed"})
same(describe(changed), "4 int16=null string='x'\n6 int16=3 string=beneath\n", "changes")

print("ok")
