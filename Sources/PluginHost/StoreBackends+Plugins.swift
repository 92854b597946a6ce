public import StoreInterface

extension StoreBackends {
  /// These backends and, behind them, one for each type of store that plug-ins bring.
  ///
  /// Whoever wants a type that there is none for learns where plug-ins were looked for
  /// (``PluginRegistry/refusal(ofType:)``).
  ///
  /// A plug-in is loaded when one of its stores is made or opened for the first time, and not before.
  public func adding(contentsOf registry: PluginRegistry) -> StoreBackends {
    let all = registry.plugins.reduce(self) { backends, plugin in
      plugin.types.reduce(backends) { $0.adding(PluginBackend(plugin, $1)) }
    }
    return all.explaining { registry.refusal(ofType: $0).error() }
  }
}
