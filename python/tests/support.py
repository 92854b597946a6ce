"""What several tests use: a document of trips in a temporary folder."""

import pathlib
import tempfile
import unittest

import quire

MODEL = """
composite Address
  street: String?
  floor: Int16?

entity Trip
  name: String, length 1...100
  start: Date?
  booked: Day?
  budget: Decimal?
  rating: Double?
  isBooked: Bool = false
  code: UUID?
  photo: Data?
  stops: [Stop], inverse trip, ordered, delete cascade
  travellers: [Person], inverse trips

entity Stop
  name: String
  nights: Int16 = 1, min 0
  meters: Int64?
  trip: Trip?, inverse stops

entity Museum: Stop
  isFree: Bool = false

entity Person
  name: String
  email: String?
  address: composite Address?
  trips: [Trip], inverse travellers
  unique email
"""


class TripsCase(unittest.TestCase):
    """A test with a new document, `self.doc`."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "Trips.quire"
        self.doc = quire.create(self.path, MODEL, author="tests")
        self.addCleanup(lambda: self.doc.close())

    def add_trips(self):
        """Adds two trips with three stops, and saves them."""
        lisbon = self.doc.Trip.add(name="Lisbon", rating=4.5)
        porto = self.doc.Trip.add(name="Porto")
        for name, nights in (("Alfama", 3), ("Sintra", 1)):
            self.doc.Stop.add(name=name, nights=nights, trip=lisbon)
        self.doc.Museum.add(name="Serralves", nights=0, isFree=True, trip=porto)
        self.doc.save("Two trips")
        return lisbon, porto
