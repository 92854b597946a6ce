# static
#   Builds the tool as ./run install does, loads plug-ins in Swift and C into it, and reads models in several encodings.

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
# The archive of libxml2 has no converters, so each encoding must reach it as UTF-8.
model='<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
<entity name="Caf\303\251"/></model>'
for encoding in UTF-8 ISO-8859-1 EUC-JP; do
  printf "<?xml version=\"1.0\" encoding=\"$encoding\"?>$model" | iconv -f UTF-8 -t "$encoding" >"$plugins/contents"
  case $encoding in
  EUC-JP) # Not supported (spec 5.2.1).
    ! "$bin/quire" model "$plugins/contents" 2>"$plugins/error" || fail "A model in $encoding was read."
    grep -q "$encoding" "$plugins/error" || fail "The message does not name the encoding." "$(cat "$plugins/error")"
    ;;
  *) "$bin/quire" model "$plugins/contents" | grep -q 'Café' || fail "A model in $encoding was not read." ;;
  esac
done
say "static: all passed"
