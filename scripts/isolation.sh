# isolation [OPTION...]
#   Records histories of contexts and processes over every store, with kills, full disks and killed servers, and judges
#   the isolation of their transactions. Options: --seconds N, --seed N, --stores NAMES, --quick.

find_postgresql
case "$*" in *cluster*) find_patroni ;; esac
build --product isolation-writer
# The plug-in is needed unless other stores are named.
case "$*" in
*--stores*plug-in*) build --product SQLiteStorePlugin ;;
*--stores*) ;;
*) build --product SQLiteStorePlugin ;;
esac
python3 Tests/isolation/test_checker.py
python3 Tests/isolation/isolation.py "$@"
