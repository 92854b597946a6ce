# check [--sanitize[=address|thread] | --coverage]
#   Checks the format, the imports, all tests with all of their random work, and the count of instructions. With --sanitize
#   the tests run again under one sanitizer or both. With --coverage it only counts the lines that the tests execute,
#   and fails if they are less than 90 %.

case ${1:-} in
'') sanitizers= ;;
--sanitize) sanitizers="address thread" ;;
--sanitize=address | --sanitize=thread) sanitizers=${1#*=} ;;
--coverage)
  find_pyarrow
  find_postgresql
  covered_lines
  exit
  ;;
*) fail "Unknown option '$1' for 'check'." "Write --sanitize, --sanitize=address, --sanitize=thread or --coverage." ;;
esac
find_pyarrow
find_postgresql
export QUIRE_EFFORT=${QUIRE_EFFORT:-1}
lint
build
run_tests
counted_instructions
sanitized_tests $sanitizers
say "check: all passed"
