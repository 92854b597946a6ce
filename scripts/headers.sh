# headers [PREFIX]
#   Installs the C headers for plug-ins into PREFIX/include/quire, with files for pkg-config and CMake. Needs no build,
#   and ./run install does it too. The default of PREFIX is /usr/local.

install_headers "${1:-/usr/local}"
say "headers: ${1:-/usr/local}/include/quire"
