# library [PREFIX]
#   Builds libquire.so for programs in C and other languages, and the Python package `quire`, which contains it. Installs the
#   library, its header and a file for pkg-config into PREFIX. The default of PREFIX is .build/library, and the wheel is there
#   too. With QUIRE_TEST=1, tests the package in a new Python environment.

. scripts/lib/library.sh
link_statically
build_library $release_flags
target=${1:-$PWD/.build/library}
install_library "$target"
pack_wheel "$target" "$target"
[ -z "${QUIRE_TEST:-}" ] || { . scripts/lib/python.sh && test_python "$target"; }
say "library: $target"
