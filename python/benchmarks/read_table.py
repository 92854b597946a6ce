"""Compares reading a million rows into pandas: from a document of Quire, and from SQLite.

    python3 python/benchmarks/read_table.py [ROWS]

prints the seconds of each, the best of five, and their ratio. Both files have the same rows: a text, two whole numbers, a
floating-point number and a moment.
"""

import pathlib
import sqlite3
import sys
import tempfile
import time

import numpy
import pandas

import quire

MODEL = """
entity Reading
  name: String
  station: Int32
  count: Int64?
  level: Double
  time: Date
"""


def best(body, count=5):
    times = []
    for _ in range(count):
        start = time.perf_counter()
        body()
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    random = numpy.random.default_rng(1)
    frame = pandas.DataFrame({
        "name": [f"reading {number}" for number in random.integers(0, rows, rows)],
        "station": random.integers(0, 500, rows).astype("int32"),
        "count": pandas.array(random.integers(0, 1 << 40, rows), dtype="Int64"),
        "level": random.normal(size=rows),
        "time": pandas.to_datetime(1_767_225_600 + numpy.arange(rows), unit="s", utc=True),
    })
    frame.loc[::10, "count"] = pandas.NA
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        document = quire.create(path / "readings.quire", MODEL)
        start = time.perf_counter()
        document.Reading.add_all(frame)
        inserted = time.perf_counter() - start
        document.save()
        print(f"insert    {inserted:6.3f} s, and save {time.perf_counter() - start - inserted:6.3f} s")
        document.close()
        document = quire.open(path / "readings.quire", "read")
        database = sqlite3.connect(path / "readings.db")
        frame.assign(time=frame["time"].dt.strftime("%Y-%m-%dT%H:%M:%SZ")).to_sql("reading", database, index=False)
        columns = "name, station, count, level, time"

        read = document.Reading.select("name", "station", "count", "level", "time").to_pandas()
        assert len(read) == rows and read["level"].tolist() == frame["level"].tolist()
        ours = best(lambda: document.Reading.select("name", "station", "count", "level", "time").to_pandas())
        arrow = best(lambda: document.Reading.to_arrow())
        plain = best(lambda: pandas.read_sql(f"SELECT {columns} FROM reading", database))
        dated = best(lambda: pandas.read_sql(f"SELECT {columns} FROM reading", database, parse_dates=["time"]))
        print(f"to_arrow  {arrow:6.3f} s")
        print(f"to_pandas {ours:6.3f} s")
        print(f"read_sql  {plain:6.3f} s, with dates as dates {dated:6.3f} s")
        print(f"ratio     {ours / plain:6.3f}, with dates as dates {ours / dated:6.3f}")


if __name__ == "__main__":
    main()
