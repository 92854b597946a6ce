import PluginSupport

/// Returns the plug-in's backends behind the C interface. The host calls this function after it has loaded the library.
@_cdecl("quire_store_plugin")
public func plugin(_ abi: UInt32) -> StorePlugin.Table {
  StorePlugin.table("JSONStore", "1.0", [JSONStoreBackend()])
}
