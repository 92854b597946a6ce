// SAFETY: The table is made once and never freed.

import BinaryStore
public import PluginSupport

/// The block file, plain and compressed, as a plug-in.
@_cdecl("quire_store_plugin")
public func quireStorePlugin(_ abi: UInt32) -> StorePlugin.Table {
  unsafe StorePlugin.table(
    "BinaryStore", "1.0", [BinaryStoreBackend(), BinaryStoreBackend(isCompressed: true)])
}
