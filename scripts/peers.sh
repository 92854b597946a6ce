# peers [OPTION...]
#   Runs 35 tasks with Quire and with the tools that people use for them (sqlite3, duckdb, sqlite-utils, jq, git), checks the
#   answers, and compares the commands. --page docs/beside-other-tools.md writes the page. Other options: --only NUMBERS.

tool_plugins=SQLiteStore
build_tool
python3 Tests/peers/tasks.py "$bin/quire" "$@"
