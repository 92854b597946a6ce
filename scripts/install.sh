# install [PREFIX]
#   Builds for release, and installs the tool into PREFIX/bin, its plug-ins into a folder that the tool searches, and
#   completions for bash, zsh and fish and manual pages into PREFIX/share. Installs the headers for plug-ins as
#   ./run headers does.
#   The default of PREFIX is /usr/local.

link_statically
build_tool $release_flags
install_tool "${1:-/usr/local}"
say "install: ${1:-/usr/local}/bin/quire"
