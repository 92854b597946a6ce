# static
#   Builds the tool with the standard library inside, and loads plug-ins in Swift and C into it.

# Such a program and a Swift plug-in have two copies of the standard library, so only C data may pass between them.

scratch=.build/static
swift build $build_flags --product quire --static-swift-stdlib --scratch-path "$scratch"
build --product BinaryStorePlugin
make -C Examples/FolderStore
plugins=$scratch/plugins
rm -rf "$plugins"
install_plugin Plugins/BinaryStore "$(swift build --show-bin-path)/libBinaryStorePlugin.so"
install_plugin Examples/FolderStore Examples/FolderStore/libFolderStore.so
for plugin in BinaryStore FolderStore; do
  "$scratch/debug/quire" plugin test "$plugins/$plugin"
done
say "static: all passed"
