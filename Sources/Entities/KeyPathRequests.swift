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

extension ResultTable {
  /// Returns the values of a property by which the request groups, or which it fetches: one for each row.
  ///
  ///     let table = try context.fetchTable(Trip.all.grouped(by: \.name))
  ///     let names = table.values(of: \Trip.name)
  ///
  /// - Precondition: The table has the property.
  public func values<Object: ManagedObject, Value: AttributeValue>(
    of path: KeyPath<Object, Value>
  ) -> [Value] {
    values(named: PropertyPaths.name(of: path, in: Object.self), as: Value.self)
  }

  /// Returns the values with a name: one for each row. An optional type admits rows without a value.
  ///
  ///     let sums = table.values(named: "cost", as: Double.self)
  ///
  /// - Precondition: The table has the name, and the values are of the type.
  public func values<Value: AttributeValue>(named name: String, as type: Value.Type) -> [Value] {
    guard let index = names.firstIndex(of: name) else {
      preconditionFailure("The table has no values named \"\(name)\", but \(names).")
    }
    return rows.map { row in
      guard let value = Value(storedValue: row[index]) else {
        preconditionFailure("A value named \"\(name)\" is no \(type): \(row[index].text).")
      }
      return value
    }
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
