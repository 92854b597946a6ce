import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

# A process of its own, because other tests keep memory too.
PROGRAM = """
import gc, sys, quire

path, count = sys.argv[1], int(sys.argv[2])
document = quire.create(path, "entity Trip\\n  name: String\\n")
document.Trip.add(name="Lisbon")
document.save()
document.close()

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

def open_and_read(access):
    with quire.open(path, access) as document:
        assert [trip.name for trip in document.Trip] == ["Lisbon"]
        try:
            list(document.Trip.where("name =="))
        except quire.QueryError:
            pass

for index in range(300):
    open_and_read("exclusive" if index % 2 else "read")
gc.collect()
before = resident()
for index in range(count):
    open_and_read("exclusive" if index % 2 else "read")
gc.collect()
print(resident() - before)
"""


@unittest.skipUnless(pathlib.Path("/proc/self/statm").exists(), "The system does not tell the memory of a process")
class MemoryTests(unittest.TestCase):
    def test_many_openings_leave_no_memory_behind(self):
        count = max(int(10_000 * float(os.environ.get("QUIRE_EFFORT", "0.1"))), 500)
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run(
                [sys.executable, "-c", PROGRAM, f"{folder}/Trips.quire", str(count)],
                capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        # The allocator keeps some pages in any case.
        self.assertLess(int(run.stdout), 2 << 20)


if __name__ == "__main__":
    unittest.main()
