# install [PREFIX]
#   Builds for release, and installs the tool into PREFIX/bin, its plug-ins into a folder that the tool searches, and
#   completions for bash, zsh and fish and manual pages into PREFIX/share. Installs the headers for plug-ins as
#   ./run headers does, and the library for other languages, libquire.so, as ./run library does.
#   The default of PREFIX is /usr/local.

. scripts/lib/library.sh
link_statically
build_tool $release_flags
install_tool "${1:-/usr/local}"
build_library $release_flags
install_library "${1:-/usr/local}"
say "install: ${1:-/usr/local}/bin/quire"
