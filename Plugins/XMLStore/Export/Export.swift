// SAFETY: The table is made once and never freed.

public import PluginSupport
import XMLStore

/// Returns the function table of the plug-in for stores in XML files.
@_cdecl("quire_store_plugin")
public func quireStorePlugin(_ abi: UInt32) -> StorePlugin.Table {
  unsafe StorePlugin.table("XMLStore", "1.0", [XMLStoreBackend()])
}
