# test [FILTER]
#   Builds and runs all tests, with a part of their random work (CONTRIBUTING.md). FILTER selects tests by name; if it names modules of tests, such as
#   'RowsTests|ObjectGraphTests.RandomWorkTests', only these and what they need are built.

find_pyarrow
find_postgresql
find_chromium
only=$(test_targets "${1:-$(cd Tests && printf '%s|' *Tests)}")
[ -z "$only" ] || export QUIRE_TARGETS="$only"
run_tests ${1:+--filter "$1"}
say "test: all passed"
