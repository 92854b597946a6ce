# static
#   Builds the tool as ./run install does, and loads plug-ins in Swift and C into it.

# Such a program and a Swift plug-in have two copies of the standard library, so only C data may pass between them.

link_statically
build_tool $release_flags
build $release_flags --product BinaryStorePlugin
make -C Examples/FolderStore
make -C Examples/LMDBStore
plugins=.build/static
rm -rf "$plugins"
install_plugin Plugins/SQLiteStore "$bin/libSQLiteStorePlugin.so"
install_plugin Plugins/BinaryStore "$bin/libBinaryStorePlugin.so"
install_plugin Examples/FolderStore Examples/FolderStore/libFolderStore.so
install_plugin Examples/LMDBStore Examples/LMDBStore/libLMDBStore.so
for plugin in SQLiteStore BinaryStore FolderStore LMDBStore; do
  "$bin/quire" plugin test "$plugins/$plugin"
done
say "static: all passed"
