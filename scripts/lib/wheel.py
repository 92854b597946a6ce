"""Packs the Python package with its library into a wheel: wheel.py VERSION MACHINE PREFIX FOLDER

A wheel is a zip with the package and three files about it. Equal inputs give equal bytes.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import time
import zipfile

version, machine, prefix, folder = sys.argv[1:]
prefix, folder = pathlib.Path(prefix), pathlib.Path(folder)
library = prefix / "lib/libquire.so.1"

# Libraries that every Linux has, by the rules for wheels (PEP 600).
EVERYWHERE = re.compile(r"(libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+|ld-linux.*|libutil)\.so\b")


def platform():
    """Returns the tag of the systems that the library runs on: those with its version of the C library."""
    shown = subprocess.run(["objdump", "-p", library], capture_output=True, text=True, check=True).stdout
    needed = re.findall(r"NEEDED\s+(\S+)", shown)
    strange = [name for name in needed if not EVERYWHERE.match(name)]
    if strange:
        print(f"wheel: the library needs {', '.join(strange)}, which some systems lack", file=sys.stderr)
        return f"linux_{machine}"
    minor = max(int(number) for number in re.findall(r"GLIBC_2\.(\d+)", shown))
    return f"manylinux_2_{minor}_{machine}"


tag = f"py3-none-{platform()}"
about = f"quire-{version}.dist-info"
readme = pathlib.Path("python/README.md").read_text(encoding="utf-8")
metadata = f"""Metadata-Version: 2.1
Name: quire
Version: {version}
Summary: Documents of Quire: objects with relationships, versions and undo
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: cffi>=1.15
Provides-Extra: arrow
Requires-Dist: pyarrow>=14; extra == 'arrow'
Provides-Extra: pandas
Requires-Dist: pandas>=2.0; extra == 'pandas'
Requires-Dist: pyarrow>=14; extra == 'pandas'
Provides-Extra: polars
Requires-Dist: polars>=1.0; extra == 'polars'
Requires-Dist: pyarrow>=14; extra == 'polars'
Description-Content-Type: text/markdown

{readme}"""
wheel = f"Wheel-Version: 1.0\nGenerator: quire\nRoot-Is-Purelib: false\nTag: {tag}\n"

files = {}
for path in sorted(pathlib.Path("python/quire").iterdir()):
    if path.suffix in (".py", ".pyi") or path.name == "py.typed":
        files[f"quire/{path.name}"] = path.read_bytes()
for path in (prefix / "include/quire/quire.h", prefix / "include/quire/CArrow.h", library):
    files[f"quire/{path.name}"] = path.read_bytes()
files[f"{about}/METADATA"] = metadata.encode()
files[f"{about}/WHEEL"] = wheel.encode()
files[f"{about}/LICENSE"] = pathlib.Path("LICENSE").read_bytes()


def record(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


lines = "".join(record(name, content) for name, content in files.items())
files[f"{about}/RECORD"] = (lines + f"{about}/RECORD,,\n").encode()

moment = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "1767225600")))[:6]
folder.mkdir(parents=True, exist_ok=True)
for old in folder.glob("quire-*.whl"):
    old.unlink()
target = folder / f"quire-{version}-{tag}.whl"
with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for name, content in files.items():
        entry = zipfile.ZipInfo(name, moment)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o755 if name.endswith(".so.1") else 0o644) << 16
        archive.writestr(entry, content)
print(target)
