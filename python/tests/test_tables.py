import datetime
import decimal
import unittest

import quire
from support import TripsCase

try:
    import pandas
    import pyarrow
except ImportError:
    pandas = None

try:
    import polars
except ImportError:
    polars = None


@unittest.skipIf(pandas is None, "pandas or pyarrow is not installed")
class TableTests(TripsCase):
    def test_arrow(self):
        lisbon, _ = self.add_trips()
        lisbon.budget = decimal.Decimal("12.345")
        table = self.doc.Trip.order_by("name").to_arrow()
        self.assertEqual(table.column("name").to_pylist(), ["Lisbon", "Porto"])
        self.assertEqual(table.schema.field("start").type, pyarrow.timestamp("us", tz="UTC"))
        self.assertEqual(table.column("budget").to_pylist(), [decimal.Decimal("12.345"), None])
        self.assertEqual(table.column("@id").to_pylist()[0], lisbon.object_id)
        table.validate(full=True)

    def test_days(self):
        lisbon, _ = self.add_trips()
        lisbon.booked = datetime.date(2026, 2, 28)
        self.doc.save()
        self.assertEqual(lisbon.booked, datetime.date(2026, 2, 28))
        trips = self.doc.Trip.order_by("name")
        table = trips.to_arrow()
        self.assertEqual(table.schema.field("booked").type, pyarrow.date32())
        self.assertEqual(table.column("booked").to_pylist(), [datetime.date(2026, 2, 28), None])
        self.assertEqual(trips.to_pandas()["booked"].dt.year.tolist()[0], 2026)
        names = self.doc.Stop.select("trip.booked", "name").order_by("name").to_arrow()
        self.assertEqual(names.schema.field("trip.booked").type, pyarrow.date32())
        copied = self.doc.Trip.add_all(table.select(["name", "booked"]))
        self.assertEqual(copied, 2)
        self.assertEqual(len(self.doc.Trip.where(booked=datetime.date(2026, 2, 28))), 2)

    def test_a_table_without_rows(self):
        self.assertEqual(self.doc.Trip.to_arrow().num_rows, 0)
        self.assertEqual(list(self.doc.Trip.to_pandas().columns)[:2], ["@id", "name"])

    def test_columns_of_related_objects(self):
        lisbon, _ = self.add_trips()
        self.doc.Stop.add(name="Nowhere", nights=2)
        lisbon.photo = b"x" * 100_000
        self.doc.save()
        table = self.doc.Stop.select("name", "trip.name", "trip.rating", "trip.photo").order_by("name").to_arrow()
        table.validate(full=True)
        self.assertEqual(table.column("trip.name").to_pylist(), ["Lisbon", None, "Porto", "Lisbon"])
        self.assertEqual(table.column("trip.rating").to_pylist(), [4.5, None, None, 4.5])
        self.assertEqual([len(p or b"") for p in table.column("trip.photo").to_pylist()], [100_000, 0, 0, 100_000])
        names = lisbon.stops.select("trip.name", "name").to_arrow()
        self.assertEqual(names.column("trip.name").to_pylist(), ["Lisbon", "Lisbon"])
        self.assertEqual(names.column("name").to_pylist(), ["Alfama", "Sintra"])

    def test_pandas(self):
        self.add_trips()
        frame = self.doc.Stop.order_by("name").to_pandas()
        self.assertEqual(frame["nights"].tolist(), [3, 0, 1])
        self.assertEqual(str(frame["trip"].dtype), "UInt64")
        self.assertEqual(frame["trip"][0], self.doc.Stop.where(name="Alfama").one().trip.object_id)

    @unittest.skipIf(polars is None, "polars is not installed")
    def test_polars(self):
        self.add_trips()
        frame = self.doc.Stop.order_by("name").to_polars()
        self.assertEqual(frame["nights"].to_list(), [3, 0, 1])
        self.assertEqual(polars.DataFrame(self.doc.Stop.order_by("name"))["name"].to_list()[0], "Alfama")

    def test_many_rows_in_several_arrays(self):
        count = 150_000
        frame = pandas.DataFrame(
            {"name": [f"stop {index}" for index in range(count)], "nights": [index % 5 for index in range(count)],
             "meters": [index * 7 if index % 3 else None for index in range(count)]})
        self.assertEqual(self.doc.Stop.add_all(frame), count)
        self.doc.save()
        read = self.doc.Stop.to_pandas()
        self.assertEqual(read["name"].tolist(), frame["name"].tolist())
        self.assertEqual(read["nights"].tolist(), frame["nights"].tolist())
        self.assertEqual(read["meters"].isna().sum(), count / 3)
        self.assertEqual(read["meters"].sum(), frame["meters"].sum())
        some = self.doc.Stop.where("nights == 2").order_by("-meters").to_pandas()
        self.assertEqual(len(some), count / 5)
        self.assertTrue(some["meters"].dropna().is_monotonic_decreasing)

    def test_rows_of_every_kind_become_objects(self):
        start = datetime.datetime(2026, 5, 1, tzinfo=datetime.timezone.utc)
        table = pyarrow.table(
            {
                "name": pyarrow.array(["a", "b", None], pyarrow.large_string()),
                "start": pyarrow.array([start, None, None], pyarrow.timestamp("ns", tz="UTC")),
                "rating": pyarrow.array([1, 2, None], pyarrow.int8()),
                "isBooked": pyarrow.array([True, False, None]),
                "photo": pyarrow.array([b"\x01", None, b""], pyarrow.binary()),
                "budget": pyarrow.array(["1.5", None, None]),
            })
        self.assertEqual(self.doc.Trip.add_all(table.slice(0, 2)), 2)
        trip = self.doc.Trip.where(name="a").one()
        self.assertEqual((trip.start, trip.rating, trip.isBooked, trip.photo), (start, 1.0, True, b"\x01"))
        self.assertEqual(trip.budget, decimal.Decimal("1.5"))
        dictionary = pyarrow.table({"name": pyarrow.array(["x", "y", "x"]).dictionary_encode()})
        self.assertEqual(self.doc.Trip.add_all(dictionary.slice(1)), 2)
        self.assertEqual(len(self.doc.Trip.where(name="x")), 1)
        days = pyarrow.table({"name": ["d"], "start": pyarrow.array([datetime.date(2026, 5, 1)])})
        self.doc.Trip.add_all(days)
        self.assertEqual(self.doc.Trip.where(name="d").one().start, start)

    def test_wrong_rows_insert_nothing(self):
        with self.assertRaises(quire.UnknownNameError):
            self.doc.Stop.add_all([{"name": "a", "sights": 1}])
        with self.assertRaises(quire.BadChangeError):
            self.doc.Stop.add_all([{"name": "a", "nights": 1}, {"name": "b", "nights": 100_000}])
        self.assertEqual(len(self.doc.Stop), 0)
        self.assertFalse(self.doc.has_changes)

    def test_tables_in_notebooks(self):
        self.add_trips()
        self.doc.Stop.where(name="Alfama").update(name="<b>")
        page = self.doc.Stop._repr_html_()
        self.assertIn("&lt;b&gt;", page)
        self.assertIn("Stop: 3 rows", page)
        self.assertIn("<td>Trip</td><td>2</td>", self.doc._repr_html_())


if __name__ == "__main__":
    unittest.main()
