public import StoreInterface

extension StoreBackends {
  /// Returns these backends, followed by one for each type of store that plug-ins bring.
  ///
  /// The error for a type without a backend lists the searched folders (``PluginRegistry/refusal(ofType:)``).
  ///
  /// A plug-in is loaded only when one of its stores is created or opened for the first time.
  ///
  /// - Parameter services: Returns the services that the program gives to the stores of a plug-in.
  public func adding(
    contentsOf registry: PluginRegistry,
    services: (FoundPlugin) -> PluginServices = { _ in PluginServices() }
  ) -> StoreBackends {
    let all = registry.plugins.reduce(self) { backends, plugin in
      let services = services(plugin)
      return plugin.types.reduce(backends) {
        $0.adding(PluginBackend(plugin, $1, services: services))
      }
    }
    return all.explaining { registry.refusal(ofType: $0).error() }
  }
}
