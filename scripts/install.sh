# install [PREFIX]
#   Builds for release, and installs the tool into PREFIX/bin, its plug-ins into a folder that the tool searches, and
#   completions for bash, zsh and fish and manual pages into PREFIX/share. Installs the headers for plug-ins as
#   ./run headers does.
#   The default of PREFIX is /usr/local.

prefix=${1:-/usr/local}
export QUIRE_STATIC=1 # Package.swift tells what it links.
build_tool -c release
mkdir -p "$prefix/bin" "$prefix/lib/quire/plugins"
install -m 755 "$bin/quire" "$prefix/bin/quire"
plugins=$prefix/lib/quire/plugins
install_plugin Plugins/SQLiteStore "$bin/libSQLiteStorePlugin.so"
install_plugin Plugins/PostgreSQLStore "$bin/libPostgreSQLStorePlugin.so"

# install_completion SHELL FOLDER NAME: installs the script of a shell into a folder that the shell searches.
install_completion() {
  mkdir -p "$prefix/share/$2"
  "$prefix/bin/quire" completion "$1" >"$prefix/share/$2/$3"
}
install_completion bash bash-completion/completions quire
install_completion zsh zsh/site-functions _quire
install_completion fish fish/vendor_completions.d quire.fish
mkdir -p "$prefix/share/man/man1"
"$prefix/bin/quire" man --output "$prefix/share/man/man1" >/dev/null
install_headers "$prefix"
say "install: $prefix/bin/quire"
