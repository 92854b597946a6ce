public import ObjectGraph
public import ObjectModel

/// The values of an object that a batch inserts, by the properties of its class.
///
///     let request = BatchInsertRequest(Person.self, from: people) { row, person in
///       row.name = person.name
///       row.age = 40
///     }
///
/// Attributes alone can be set: a batch fills rows, and makes the objects afterwards.
@dynamicMemberLookup
public struct BatchRow<Object: ManagedObject> {
  /// The values that were set, by the names of their attributes.
  public var values: [String: Value] = [:]

  /// The value of an attribute.
  ///
  /// - Precondition: A value that is read was set before, or its type is optional.
  public subscript<V: AttributeValue>(dynamicMember path: KeyPath<Object, V>) -> V {
    get {
      let name = PropertyPaths.name(of: path, in: Object.self)
      guard let value = V(storedValue: values[name] ?? .null) else {
        preconditionFailure("The value of \"\(name)\" is not set yet.")
      }
      return value
    }
    set { values[PropertyPaths.name(of: path, in: Object.self)] = newValue.storedValue }
  }
}

extension BatchInsertRequest {
  /// Makes a request that inserts an object of a class for each element of a sequence.
  ///
  ///     BatchInsertRequest(Person.self, from: people) { $0.name = $1.name }
  ///
  /// An attribute that `fill` does not set keeps its initial value.
  ///
  /// - Parameter fill: Sets the values of one object. An error that it throws ends the batch, and nothing is inserted.
  public init<Object: ManagedObject, Element>(
    _ type: Object.Type, from elements: some Sequence<Element>,
    _ fill: @escaping (inout BatchRow<Object>, Element) throws -> Void
  ) {
    let elements = Array(elements)
    self.init(Object.entityName) { index, values in
      guard index < elements.count else { return false }
      var row = BatchRow<Object>()
      try fill(&row, elements[index])
      values = row.values
      return true
    }
  }
}
