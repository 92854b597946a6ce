# sanitize [address|thread [FILTER]]
#   Builds and runs all tests under a sanitizer, or those whose names match; under both, one after the other, if
#   none is named.

case ${1:-address} in
address | thread) ;;
*) fail "There is no sanitizer '$1'." "There are: address, thread." ;;
esac
find_pyarrow
filter=${2:-}
sanitized_tests ${1:-address thread}
say "sanitize: all passed"
