# check [--sanitize[=address|thread]]
#   Checks the format, the imports, all tests and the count of instructions, as before every change. With --sanitize
#   the tests run again under one sanitizer or both.

case ${1:-} in
'') sanitizers= ;;
--sanitize) sanitizers="address thread" ;;
--sanitize=address | --sanitize=thread) sanitizers=${1#*=} ;;
*) fail "Unknown option '$1' for 'check'." "Write --sanitize, --sanitize=address or --sanitize=thread." ;;
esac
find_pyarrow
find_postgresql
lint
build
run_tests
counted_instructions
sanitized_tests $sanitizers
say "check: all passed"
