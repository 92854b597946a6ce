# install [PREFIX]
#   Builds for release, and installs the tool into PREFIX/bin and its plug-ins into a folder that the tool searches.
#   The default of PREFIX is /usr/local.

prefix=${1:-/usr/local}
build_tool -c release
mkdir -p "$prefix/bin" "$prefix/lib/quire/plugins"
install -m 755 "$bin/quire" "$prefix/bin/quire"
plugins=$prefix/lib/quire/plugins
install_plugin Plugins/SQLiteStore "$bin/libSQLiteStorePlugin.so"
say "install: $prefix/bin/quire"
