# mutants [N] [OPTION...]
#   Changes N places of the core, 200 without N, one after another, and says which changes no test notices. It fails
#   if the tests catch less than 95 % of them. Takes an hour. Options: --only NUMBERS, --survivors, --list, --longest SECONDS.

QUIRE_BUILD_FLAGS=$build_flags python3 scripts/lib/mutants.py "$@"
