# Functions that test the Python package.

# python_environment FOLDER PACKAGE...: makes an environment with packages, or returns 1 if they can't be installed.
python_environment() {
  place=$1
  shift
  [ -x "$place/bin/python3" ] || python3 -m venv "$place" || return 1
  "$place/bin/python3" -m pip install --quiet --disable-pip-version-check "$@" >"$place.log" 2>&1
}

# test_tree LIBRARY: runs the tests of the package as it lies in the repository, with a library.
test_tree() {
  if ! python_environment .build/python-package cffi pandas pyarrow; then
    say "Can't install cffi, pandas and pyarrow (see .build/python-package.log), so the Python package is not tested."
    return 0
  fi
  QUIRE_LIBRARY=$1 PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1 \
    .build/python-package/bin/python3 -m unittest discover -s python/tests
}

# test_python PREFIX: installs the wheel in a folder into an environment, and runs the tests of the package.
test_python() {
  if ! python_environment .build/python-package cffi pandas pyarrow; then
    say "Can't install cffi, pandas and pyarrow (see .build/python-package.log), so the Python package is not tested."
    return 0
  fi
  .build/python-package/bin/python3 -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps \
    "$1"/quire-*.whl
  .build/python-package/bin/python3 -m unittest discover -s python/tests
}
