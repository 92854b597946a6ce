import PluginSupport

/// What the program that loads this library calls: the plug-in's backends, behind the C interface.
@_cdecl("quire_store_plugin")
public func plugin(_ abi: UInt32) -> StorePlugin.Table {
  StorePlugin.table("JSONStore", "1.0", [JSONStoreBackend()])
}
