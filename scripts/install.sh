# install [PREFIX]
#   Builds for release and puts the tool into PREFIX/bin (/usr/local), and its plug-ins where the tool looks for
#   them.

prefix=${1:-/usr/local}
build_tool -c release
mkdir -p "$prefix/bin" "$prefix/lib/quire/plugins"
install -m 755 "$bin/quire" "$prefix/bin/quire"
plugins=$prefix/lib/quire/plugins
install_plugin Plugins/SQLiteStore "$bin/libSQLiteStorePlugin.so"
say "install: $prefix/bin/quire"
