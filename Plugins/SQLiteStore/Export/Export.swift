// SAFETY: The table is created once and never freed.

public import PluginSupport
import SQLiteStore

/// The SQLite store, as a plug-in.
@_cdecl("quire_store_plugin")
public func quireStorePlugin(_ abi: UInt32) -> StorePlugin.Table {
  unsafe StorePlugin.table("SQLiteStore", "1.0", [SQLiteStoreBackend()])
}
