# peers [OPTION...]
#   Runs 35 tasks with Quire, sqlite3, duckdb, sqlite-utils, jq and git, checks the answers, and compares the commands.
#   --page docs/beside-other-tools.md writes the page. Options: --only NUMBERS, --orders N.

tool_plugins=SQLiteStore
build_tool
python3 Tests/peers/tasks.py "$bin/quire" "$@"
