public import StoreInterface

extension StoreBackends {
  /// These backends and, behind them, one for each type of store that plug-ins bring.
  ///
  /// A plug-in is loaded when one of its stores is made or opened for the first time, and not before.
  public func adding(contentsOf registry: PluginRegistry) -> StoreBackends {
    registry.plugins.reduce(self) { backends, plugin in
      plugin.types.reduce(backends) { $0.adding(PluginBackend(plugin, $1)) }
    }
  }
}
