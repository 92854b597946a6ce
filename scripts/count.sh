# count [--update]
#   Counts the instructions of the work that users wait for, and compares them with Benchmarks/instructions.txt. A
#   count that is more than 5 % above the file's is an error. With --update the file is written anew.

case ${1:-} in
'' | --update) ;;
*) fail "Unknown option '$1' for 'count'." "Write --update, or nothing." ;;
esac
counted_instructions "$@"
