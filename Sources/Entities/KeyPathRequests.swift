public import ObjectGraph
public import ObjectModel
public import ObjectQuery

// Groups and batches by key paths.

extension FetchRequest {
  /// Returns the request for groups of objects with the same values of some properties. Use it with `fetchTable`.
  ///
  ///     let request = Trip.all.grouped(by: \.name, fetching: FetchedValue("cost", .function(.sum, [.path("cost")])))
  public func grouped<each Value>(
    by paths: repeat KeyPath<Object, each Value>, fetching values: FetchedValue...
  ) -> FetchRequest {
    var names: [String] = []
    for path in repeat each paths { names.append(PropertyPaths.name(of: path, in: Object.self)) }
    return grouped(byPaths: names, fetching: values)
  }
}

extension ResultTable {
  /// Returns the values of a column of the table, one for each row. The request groups by its property or fetches it.
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

  /// Returns the values of the column with a name, one for each row. An optional type allows rows without a value.
  ///
  ///     let sums = table.values(named: "cost", as: Double.self)
  ///
  /// - Precondition: The table has a column with this name, and its values are of the type.
  public func values<Value: AttributeValue>(named name: String, as type: Value.Type) -> [Value] {
    guard let index = names.firstIndex(of: name) else {
      preconditionFailure("The table has no column \"\(name)\". It has: \(names).")
    }
    return rows.map { row in
      guard let value = Value(storedValue: row[index]) else {
        preconditionFailure(
          "A value of the column \"\(name)\" is not a valid \(type): \(row[index].text).")
      }
      return value
    }
  }
}

extension BatchUpdateRequest {
  /// Makes a request that updates the objects that meet the condition of `request`. The order and the limit of
  /// `request` are ignored.
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
