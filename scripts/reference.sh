# reference [OPTION...]
#   Compares the reader in spec/reference with the vectors and with the tool: 10,000 random entities, and 10,000
#   changed files and documents. Options: --entities N, --mutants N, --seed N. Then both must find the same history of
#   Core Data and the same words of texts, and the reader the values of the functions of predicates. Last, both read each file that the writer in spec/reference or the tool
#   writes, and docs/format-matrix.md must show the result.

build_tool
python3 Tests/reference/compare.py "$@"
python3 Tests/reference/changelog.py
python3 Tests/reference/words.py
python3 Tests/reference/functions.py
python3 Tests/reference/matrix.py
