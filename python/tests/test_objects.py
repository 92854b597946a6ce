import datetime
import decimal
import pathlib
import subprocess
import sys
import threading
import unittest
import uuid

import quire
from support import TripsCase

UTC = datetime.timezone.utc


class ReadingTests(TripsCase):
    def test_every_type_comes_back(self):
        code = uuid.uuid4()
        start = datetime.datetime(2026, 5, 1, 9, 30, 0, 250_000, tzinfo=UTC)

        trip = self.doc.Trip.add(
            name="Río", start=start, budget=decimal.Decimal("1234.50"), rating=0.1, isBooked=True,
            code=code, photo=b"\x00\xff")
        self.doc.save()

        again = self.doc.Trip.one()
        self.assertEqual(again, trip)
        self.assertEqual(
            (again.name, again.start, again.budget, again.rating, again.isBooked, again.code, again.photo),
            ("Río", start, decimal.Decimal("1234.5"), 0.1, True, code, b"\x00\xff"))

    def test_missing_values_are_none(self):
        self.doc.Trip.add(name="Lisbon")
        trip = self.doc.Trip.first()
        self.assertEqual([trip.start, trip.budget, trip.rating, trip.code, trip.photo], [None] * 5)

    def test_conditions_order_and_slices(self):
        self.add_trips()
        stops = self.doc.Stop
        self.assertEqual([s.name for s in stops.where("nights > 0").order_by("-nights")], ["Alfama", "Sintra"])
        self.assertEqual([s.name for s in stops.order_by("name")[1:2]], ["Serralves"])
        self.assertEqual([s.name for s in stops.order_by("name")[1:][1:]], ["Sintra"])
        self.assertEqual(list(stops[0:0]), [])
        self.assertEqual(stops.where("trip.name == %@", "Lisbon").where(nights=3).one().name, "Alfama")
        self.assertEqual(len(stops.where("name IN %@", ["Alfama", "Sintra", "x"])), 2)
        self.assertEqual(stops.order_by("name")[0].name, "Alfama")
        with self.assertRaises(IndexError):
            stops[7]

    def test_a_value_never_becomes_part_of_a_predicate(self):
        self.add_trips()
        self.assertEqual(len(self.doc.Trip.where(name="x' OR TRUEPREDICATE OR name == '")), 0)

    def test_dates_and_objects_are_arguments(self):
        lisbon, porto = self.add_trips()
        lisbon.start = datetime.date(2026, 5, 1)
        self.assertEqual(self.doc.Trip.where("start == %@", datetime.date(2026, 5, 1)).one(), lisbon)
        self.assertEqual(self.doc.Trip.where("start > '2026-04-30T00:00:00Z'").one(), lisbon)
        self.assertEqual(self.doc.Stop.where("trip == %@", porto).one().name, "Serralves")
        self.assertEqual(len(self.doc.Stop.where("trip IN %@", [lisbon, porto])), 3)

    def test_subentities(self):
        self.add_trips()
        museum = self.doc.Stop.where(name="Serralves").one()
        self.assertEqual((museum.entity, museum.isFree, museum.nights), ("Museum", True, 0))
        self.assertEqual(len(self.doc.Stop.only()), 2)
        self.assertEqual(len(self.doc.Museum), 1)

    def test_selected_columns_groups_and_aggregates(self):
        self.add_trips()
        rows = list(self.doc.Stop.select("name", "trip.name").order_by("name"))
        self.assertEqual(rows[0], {"name": "Alfama", "trip.name": "Lisbon"})
        groups = list(self.doc.Stop.group_by("trip.name").select("trip.name", "sum:(nights)"))
        self.assertEqual({row["trip.name"]: row["sum:(nights)"] for row in groups}, {"Lisbon": 4, "Porto": 0})
        self.assertEqual(len(self.doc.Stop.select("trip.name").distinct()), 2)

    def test_objects_by_identifier(self):
        lisbon, porto = self.add_trips()
        self.assertEqual(self.doc.get(porto.object_id).name, "Porto")
        self.assertEqual(self.doc.Trip.get(lisbon.object_id), lisbon)
        with self.assertRaises(quire.NoObjectError):
            self.doc.get(lisbon.object_id + 1000)
        with self.assertRaises(quire.NoObjectError):
            self.doc.get(1)


class ChangingTests(TripsCase):
    def test_relationships_have_both_ends(self):
        lisbon, porto = self.add_trips()
        self.assertEqual([s.name for s in lisbon.stops], ["Alfama", "Sintra"])
        alfama = lisbon.stops[0]
        self.assertEqual(alfama.trip, lisbon)

        porto.stops.add(alfama)

        self.assertEqual(alfama.trip, porto)
        self.assertEqual([s.name for s in lisbon.stops], ["Sintra"])
        self.assertIn(alfama, porto.stops)
        porto.stops.set([])
        self.assertIsNone(alfama.trip)
        self.assertEqual(len(porto.stops), 0)
        ana = self.doc.Person.add(name="Ana", trips=[lisbon, porto])
        self.assertEqual(list(lisbon.travellers), [ana])
        lisbon.travellers.remove(ana)
        self.assertEqual(list(ana.trips), [porto])

    def test_composite_attributes(self):
        ana = self.doc.Person.add(name="Ana", address={"street": "Rua Augusta", "floor": 2})
        self.assertEqual(ana.address, {"street": "Rua Augusta", "floor": 2})
        ana["address.floor"] = 3
        self.assertEqual(ana["address.floor"], 3)
        self.assertEqual(self.doc.Person.where("address.floor == 3").one(), ana)
        ana.address = {"street": "Rua do Carmo"}
        self.assertEqual(ana.address, {"street": "Rua do Carmo", "floor": None})
        with self.assertRaises(quire.UnknownNameError):
            ana.address = {"city": "Lisboa"}
        self.doc.save()

    def test_objects_show_changes_of_others(self):
        lisbon, _ = self.add_trips()
        same = self.doc.Trip.where(name="Lisbon").one()
        lisbon.name = "Lisboa"
        self.assertEqual(same.name, "Lisboa")
        self.assertEqual(self.doc.Trip.where(name="Lisboa").update(rating=1), 1)
        self.assertEqual(same.rating, 1)

    def test_deleting_follows_the_rules_of_the_model(self):
        lisbon, _ = self.add_trips()
        lisbon.delete()
        self.assertEqual([s.name for s in self.doc.Stop], ["Serralves"])
        with self.assertRaises(quire.NoObjectError):
            lisbon.name
        self.assertIn("deleted", repr(lisbon))
        self.assertEqual(self.doc.Museum.delete(), 1)

    def test_a_wrong_value_changes_nothing(self):
        self.add_trips()
        with self.assertRaises(quire.BadChangeError):
            self.doc.Stop.update(nights=7, name=3)
        with self.assertRaises(quire.BadChangeError):
            self.doc.Stop.add(name="x", nights="three")
        with self.assertRaises(quire.BadChangeError):
            self.doc.Stop.add(name="x", trip=self.doc.Stop.first())
        with self.assertRaises(quire.UnknownNameError):
            self.doc.Trip.add(nam="x")
        with self.assertRaises(AttributeError):
            self.doc.Trip.first().nam
        self.assertFalse(self.doc.has_changes)
        self.assertEqual(len(self.doc.Stop), 3)

    def test_a_save_that_breaks_rules_saves_nothing(self):
        self.doc.Trip.add(name="")
        self.doc.Trip.add(name="Lisbon")
        with self.assertRaises(quire.ValidationError) as caught:
            self.doc.save()
        self.assertIn("name", str(caught.exception))
        self.assertTrue(self.doc.has_changes)
        self.doc.discard()
        self.assertEqual(len(self.doc.Trip), 0)

    def test_unique_values(self):
        self.doc.Person.add(name="Ana", email="a@b.pt")
        self.doc.save()
        self.doc.Person.add(name="Eva", email="a@b.pt")
        with self.assertRaises(quire.ConflictError):
            self.doc.save()

    def test_undo_and_steps(self):
        self.add_trips()
        self.doc.Trip.update(rating=2)
        with self.doc.step("Two names"):
            for trip in self.doc.Trip:
                trip.name += "!"
        self.assertTrue(self.doc.undo())
        self.assertEqual(sorted(t.name for t in self.doc.Trip), ["Lisbon", "Porto"])
        self.assertTrue(self.doc.redo())
        self.assertEqual(sorted(t.name for t in self.doc.Trip), ["Lisbon!", "Porto!"])

    def test_a_step_must_be_ended_before_a_save(self):
        with self.doc.step():
            self.doc.Trip.add(name="Lisbon")
            with self.assertRaises(quire.BadArgumentError):
                self.doc.save()
        self.assertEqual(self.doc.save(), self.doc.version)


class DocumentTests(TripsCase):
    def test_versions_changes_and_revert(self):
        self.add_trips()
        first = self.doc.version
        self.doc.Trip.where(name="Porto").update(name="Douro")
        self.doc.save("Renamed")
        versions = self.doc.versions()
        self.assertEqual([v.get("message") for v in versions[-2:]], ["Two trips", "Renamed"])
        self.assertEqual(versions[-1]["author"], "tests")
        changes = self.doc.changes(first)
        self.assertEqual(len(changes), 1)
        self.assertEqual(changes[0]["properties"]["name"], {"old": "Porto", "new": "Douro"})
        self.doc.revert(first, "Back")
        self.assertEqual(len(self.doc.Trip.where(name="Porto")), 1)
        with quire.open(self.path, version=first + 1) as old:
            self.assertEqual(len(old.Trip.where(name="Douro")), 1)
            with self.assertRaises(quire.ReadOnlyError):
                old.Trip.add(name="x")
        with self.assertRaises(quire.NoVersionError):
            self.doc.revert(99)
        self.doc.name_version(first, "Beginning")
        self.assertIn("Beginning", [v.get("name") for v in self.doc.versions()])

    def test_heads(self):
        self.add_trips()
        self.doc.make_head("draft")
        self.assertEqual(self.doc.heads()["heads"], ["main", "draft"])
        self.doc.remove_head("draft")
        self.assertEqual(self.doc.heads()["heads"], ["main"])

    def test_attachments(self):
        self.doc.attach("a.txt", b"hello")
        self.assertTrue(self.doc.has_changes)
        self.doc.save("A file")
        self.assertEqual(self.doc.attachment("a.txt"), b"hello")
        self.assertEqual([a["name"] for a in self.doc.attachments()], ["a.txt"])
        self.doc.detach("a.txt")
        self.doc.save()
        with self.assertRaises(quire.NoAttachmentError):
            self.doc.attachment("a.txt")

    def test_a_closed_document(self):
        query = self.doc.Trip
        self.doc.close()
        self.doc.close()
        with self.assertRaises(quire.ClosedError):
            query.count()

    def test_locks_and_missing_files(self):
        with self.assertRaises(quire.LockedError) as caught:
            quire.open(self.path)
        self.assertIsNotNone(caught.exception.hint)
        with quire.open(self.path, "read") as reader:
            self.assertEqual(len(reader.Trip), 0)
        with self.assertRaises(FileNotFoundError):
            quire.open(self.path.with_name("none.quire"))
        with self.assertRaises(quire.ExistsError):
            quire.create(self.path, "entity A")
        with self.assertRaises(quire.BadModelError):
            quire.create(self.path.with_name("b.quire"), "entity A\n  x: Nothing\n")

    def test_queries_that_cannot_be_read(self):
        with self.assertRaises(quire.QueryError):
            list(self.doc.Trip.where("name BEGINSWTH 'L'"))
        with self.assertRaises(quire.UnknownNameError):
            list(self.doc.Trip.where("nam == 1"))
        with self.assertRaises(quire.UnknownNameError):
            self.doc.Tripp

    def test_stores_export_and_import(self):
        self.add_trips()
        self.doc.close()
        lines = self.path.with_name("trips.jsonl")
        self.assertEqual(quire.export(self.path, lines), 5)
        store = self.path.with_name("Trips.store")
        from support import MODEL
        quire.create(store, MODEL, store=True).close()
        self.assertEqual(quire.import_files(store, lines), 5)
        with quire.open(store) as opened:
            self.assertEqual([s.name for s in opened.Trip.where(name="Lisbon").one().stops], ["Alfama", "Sintra"])
            self.assertEqual(opened.info()["kind"], "store")
            with self.assertRaises(quire.NotSupportedError):
                opened.heads()
        self.assertEqual(quire.validate(store)["verdict"], "valid")

    def test_migration(self):
        self.add_trips()
        self.doc.close()
        model = self.path.with_name("next.model")
        from support import MODEL
        model.write_text(MODEL.replace("  email: String?\n", "  email: String?\n  phone: String?\n"))
        self.assertTrue(quire.migrate(self.path, model))
        self.assertFalse(quire.migrate(self.path, model))
        with quire.open(self.path) as doc:
            self.assertIsNone(doc.Person.add(name="Ana").phone)

    def test_two_connections(self):
        self.add_trips()
        self.doc.close()
        with quire.open(self.path, "shared") as one, quire.open(self.path, "shared") as two:
            one.Trip.where(name="Porto").update(name="Douro")
            one.save()
            self.assertTrue(two.refresh())
            self.assertEqual(len(two.Trip.where(name="Douro")), 1)

    def test_stubs(self):
        self.add_trips()
        self.doc.close()
        made = subprocess.run(
            [sys.executable, "-m", "quire", "stubs", str(self.path)], capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        compile(made.stdout, "stubs.pyi", "exec")
        self.assertIn("class Museum(Stop):", made.stdout)
        self.assertIn("    start: Optional[datetime.datetime]", made.stdout)
        self.assertIn('    stops: Many["Stop"]', made.stdout)


class ThreadTests(TripsCase):
    def test_threads_share_a_document(self):
        failures = []

        def work(number):
            try:
                for index in range(20):
                    self.doc.Trip.add(name=f"{number}/{index}")
                    list(self.doc.Trip.where("name BEGINSWITH %@", f"{number}/"))
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.assertEqual(len(self.doc.Trip), 80)

    def test_progress_may_end_a_call(self):
        self.doc.Stop.add_all([{"name": f"{index}", "nights": 1} for index in range(5000)])
        self.doc.progress(lambda done, total: True)
        with self.assertRaises(quire.CancelledError):
            list(self.doc.Stop.where("name CONTAINS '9'"))
        with self.assertRaises(quire.CancelledError):
            self.doc.Stop.update(nights=2)
        self.doc.progress(None)
        self.assertEqual(len(self.doc.Stop.where(nights=1)), 5000)

    def test_a_result_outlives_its_document(self):
        self.add_trips()
        rows = self.doc.Stop.select("name").rows()
        first = next(rows)
        self.doc.Stop.delete()
        self.doc.close()
        self.assertEqual(len([first, *rows]), 3)


if __name__ == "__main__":
    unittest.main()
