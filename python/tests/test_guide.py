import os
import pathlib
import re
import tempfile
import unittest

try:
    import pandas
    import pyarrow
except ImportError:
    pandas = None

GUIDE = pathlib.Path(__file__).parents[2] / "docs/from-a-notebook.md"


@unittest.skipIf(pandas is None, "pandas or pyarrow is not installed")
class GuideTests(unittest.TestCase):
    def test_the_code_of_the_guide_runs(self):
        pieces = re.findall(r"(?ms)^```python\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"))
        self.assertGreater(len(pieces), 6)
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                names = {}
                for piece in pieces:
                    exec(compile(piece, str(GUIDE), "exec"), names)
            finally:
                os.chdir(before)


if __name__ == "__main__":
    unittest.main()
