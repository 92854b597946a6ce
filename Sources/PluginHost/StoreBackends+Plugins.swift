public import StoreInterface

extension StoreBackends {
  /// Returns these backends, followed by one for each type of store that plug-ins bring.
  ///
  /// The error for a type without a backend lists the searched folders (``PluginRegistry/refusal(ofType:)``).
  ///
  /// A plug-in is loaded only when one of its stores is created or opened for the first time.
  public func adding(contentsOf registry: PluginRegistry) -> StoreBackends {
    let all = registry.plugins.reduce(self) { backends, plugin in
      plugin.types.reduce(backends) { $0.adding(PluginBackend(plugin, $1)) }
    }
    return all.explaining { registry.refusal(ofType: $0).error() }
  }
}
