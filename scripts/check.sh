# check [--sanitize[=address|thread]]
#   Checks the format, the imports and all tests, as before every change. With --sanitize the tests run again under
#   one sanitizer or both.

case ${1:-} in
'') sanitizers= ;;
--sanitize) sanitizers="address thread" ;;
--sanitize=address | --sanitize=thread) sanitizers=${1#*=} ;;
*) fail "Unknown option '$1' for 'check'." "Write --sanitize, --sanitize=address or --sanitize=thread." ;;
esac
find_pyarrow
lint
build
run_tests
sanitized_tests $sanitizers
say "check: all passed"
