// SAFETY: The table is created once and never freed.

public import PluginSupport
import SQLiteStore

/// Returns the plug-in table of the SQLite store.
@_cdecl("quire_store_plugin")
public func quireStorePlugin(_ abi: UInt32) -> StorePlugin.Table {
  unsafe StorePlugin.table("SQLiteStore", "1.0", [SQLiteStoreBackend()])
}
