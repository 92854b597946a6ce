# peers [OPTION...]
#   Runs 35 tasks with Quire, sqlite3, duckdb, sqlite-utils, jq and git, checks the answers, and compares the commands.
#   --page docs/beside-other-tools.md writes the page. --only NUMBERS runs some tasks, and --orders N needs less time.

tool_plugins=SQLiteStore
build_tool
python3 Tests/peers/tasks.py "$bin/quire" "$@"
