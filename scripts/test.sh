# test [FILTER]
#   Builds and runs all tests. FILTER selects tests by name.

find_pyarrow
find_postgresql
find_chromium
if [ $# = 0 ]; then run_tests; else run_tests --filter "$1"; fi
say "test: all passed"
