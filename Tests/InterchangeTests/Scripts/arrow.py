"""Prints the rows of an Arrow file, as other implementations read it: one JSON object a line.

Usage: arrow.py pyarrow|polars|duckdb FILE. Ends with 77 where the implementation is not installed.
"""

import datetime
import decimal
import importlib
import json
import sys
import uuid

reader, path = sys.argv[1:3]
try:
    import pyarrow as pa

    importlib.import_module(reader)
except ImportError as missing:
    print(missing)
    sys.exit(77)


def plain(value):
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            value = value.replace(tzinfo=datetime.timezone.utc)
        epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
        return (value.astimezone(datetime.timezone.utc) - epoch) // datetime.timedelta(microseconds=1)
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, uuid.UUID):
        return value.bytes.hex()
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value


def opened():
    with open(path, "rb") as file:
        is_file = file.read(6) == b"ARROW1"
    source = pa.memory_map(path)
    return pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source)


table = opened().read_all()
table.validate(full=True)
if reader == "pyarrow":
    rows = table.to_pylist()
    if len(sys.argv) > 3:
        print(json.dumps([f"{field.name} {getattr(field.type, 'storage_type', field.type)}" for field in table.schema]))
elif reader == "polars":
    import polars

    rows = polars.read_ipc(path).to_dicts()
else:
    import duckdb

    connection = duckdb.connect()
    connection.register("samples", table)
    found = connection.sql("SELECT * FROM samples")
    rows = [dict(zip(found.columns, row)) for row in found.fetchall()]
if len(rows) > 1000:
    print(len(rows), sum(row["n"] for row in rows))
else:
    for row in rows:
        print(json.dumps({name: plain(value) for name, value in row.items()}, ensure_ascii=False))
