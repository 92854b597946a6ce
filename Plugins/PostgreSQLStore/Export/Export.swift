// SAFETY: The table is created once and never freed.

public import PluginSupport
import PostgreSQLStore

/// Returns the plug-in table of the PostgreSQL store.
@_cdecl("quire_store_plugin")
public func quireStorePlugin(_ abi: UInt32) -> StorePlugin.Table {
  unsafe StorePlugin.table("PostgreSQLStore", "1.0", [PostgreSQLStoreBackend()])
}
