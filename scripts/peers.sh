# peers [OPTION...]
#   Compares Quire in 35 tasks with sqlite3, duckdb, sqlite-utils, jq and git. --page FILE writes the page of the result.

tool_plugins=SQLiteStore
build_tool
python3 Tests/peers/tasks.py "$bin/quire" "$@"
