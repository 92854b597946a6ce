# python
#   Builds the library for other languages, for debugging, and tests the Python package with it. Needs a registry of Python packages,
#   for cffi, pandas and pyarrow.

. scripts/lib/python.sh
build --product quire-c
test_tree "$(swift build --show-bin-path)/libquire-c.so"
say "python: done"
