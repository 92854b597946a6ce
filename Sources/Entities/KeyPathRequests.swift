public import ObjectGraph
public import ObjectModel
public import ObjectQuery

// Grouping and batches by key paths.

extension FetchRequest {
  /// Returns the request for groups of objects with the same values of some properties. `fetchTable` answers it.
  ///
  ///     let request = Trip.all.grouped(by: \.name, fetching: FetchedValue("cost", .function(.sum, [.path("cost")])))
  public func grouped<each Value>(
    by paths: repeat KeyPath<Object, each Value>, fetching values: FetchedValue...
  ) -> FetchRequest {
    var names: [String] = []
    for path in repeat each paths { names.append(PropertyPaths.name(of: path, in: Object.self)) }
    var grouped = self
    grouped.query.propertiesToGroupBy = names
    grouped.query.propertiesToFetch = names.map { FetchedValue($0) } + values
    return grouped
  }
}

extension BatchUpdateRequest {
  /// Updates the objects that meet the condition of a request. Its order and its limit do not matter.
  ///
  ///     var update = BatchUpdateRequest(Trip.where { $0.cost < 0 })
  ///     update.set(\Trip.cost, to: 0)
  public init<Object>(_ request: FetchRequest<Object>) {
    self.init(request.query.entity, where: request.query.predicate)
    includesSubentities = request.query.includesSubentities
  }

  /// Sets an attribute of each object to a value.
  public mutating func set<Object: ManagedObject, Value: AttributeValue>(
    _ path: KeyPath<Object, Value>, to value: Value
  ) {
    valuesToUpdate[PropertyPaths.name(of: path, in: Object.self)] = .constant(value.storedValue)
  }
}
