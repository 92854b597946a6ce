# test [FILTER]
#   Builds and runs all tests. FILTER selects tests by name; if it names modules of tests, such as
#   'RowsTests|ObjectGraphTests.RandomWorkTests', only these and what they need are built.

find_pyarrow
find_postgresql
find_chromium
if [ $# = 0 ]; then
  run_tests
else
  only=$(test_targets "$1")
  [ -z "$only" ] || export QUIRE_TARGETS="$only"
  run_tests --filter "$1"
fi
say "test: all passed"
