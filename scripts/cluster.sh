# cluster [KILLS]
#   Kills the primary of a PostgreSQL cluster 20 or KILLS times while programs save. No confirmed save may be lost, and
#   none may count twice. The cluster has three nodes of Patroni on this machine, and is removed afterwards.

case ${1:-20} in *[!0-9]*) fail "'$1' is no number of kills." "Write a number, or nothing for 20." ;; esac
find_postgresql
find_patroni
has_server() { ls /usr/lib/postgresql/*/bin/initdb || command -v initdb; }
if { has_server && command -v patroni && command -v etcd; } >/dev/null 2>&1; then
  build --product cluster-writer
  python3 Tests/cluster/cluster.py "${1:-20}"
  say "cluster: no save is lost, and none counts twice"
fi
