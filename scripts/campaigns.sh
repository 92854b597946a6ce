# campaigns [--hours N] [--only NAMES]
#   Runs the searches for faults in turn, with seeds of their own: orders of threads, power cuts, damaged files, kills,
#   failing calls, isolation, replicas, fuzzers. Adds the cases and findings to docs/campaigns.md. An hour without a number.

python3 scripts/lib/campaigns.py "$@"
