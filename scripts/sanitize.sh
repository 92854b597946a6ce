# sanitize [address|thread [FILTER]]
#   Builds and runs the tests under a sanitizer, or under both in turn. FILTER selects tests by name.

case ${1:-address} in
address | thread) ;;
*) fail "There is no sanitizer '$1'." "There are: address, thread." ;;
esac
# A run that only builds leaves these to the run that tests, because both may run at the same time.
[ -n "${QUIRE_ONLY_BUILD:-}" ] || find_pyarrow
[ -n "${QUIRE_ONLY_BUILD:-}" ] || find_postgresql
filter=${2:-}
sanitized_tests ${1:-address thread}
say "sanitize: all passed"
