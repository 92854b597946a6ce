// SAFETY: The table is made once and never freed.

import BinaryStore
public import PluginSupport

/// Returns the table of the plug-in that brings the block file, plain and compressed.
@_cdecl("quire_store_plugin")
public func quireStorePlugin(_ abi: UInt32) -> StorePlugin.Table {
  unsafe StorePlugin.table(
    "BinaryStore", "1.0", [BinaryStoreBackend(), BinaryStoreBackend(isCompressed: true)])
}
