# reference [OPTION...]
#   Compares the reader in spec/reference with the vectors and with the tool: 10,000 random entities, and 10,000
#   changed files and documents. Options: --entities N, --mutants N, --seed N.

build_tool
python3 Tests/reference/compare.py "$@"
