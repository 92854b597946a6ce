# faults [--only NUMBERS] [--orders N]
#   Puts the faults of Tests/faults.txt into a copy of the sources, one at a time, and says which of them the tests of
#   interleavings find within N orders, 1000 without a number. It fails if they miss one. Takes half an hour.

QUIRE_BUILD_FLAGS=$build_flags python3 scripts/lib/faults.py "$@"
