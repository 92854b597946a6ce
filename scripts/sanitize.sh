# sanitize [address|thread [FILTER]]
#   Builds and runs the tests under a sanitizer, or under both in turn. FILTER selects tests by name.

case ${1:-address} in
address | thread) ;;
*) fail "There is no sanitizer '$1'." "There are: address, thread." ;;
esac
find_pyarrow
find_postgresql
filter=${2:-}
sanitized_tests ${1:-address thread}
say "sanitize: all passed"
