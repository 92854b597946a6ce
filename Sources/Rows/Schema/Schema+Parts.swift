import ObjectModel

extension Schema {
  /// Creates a schema of stored layouts.
  ///
  /// - Throws: ``SchemaError`` when a name or a number occurs twice, or a number exceeds the stated highest number.
  public init(
    layouts: [Layout], relationshipNumbers: [String: [String: UInt16]] = [:],
    linkTables: [LinkTable] = [], indexes: [IndexLayout] = [], highestEntityNumber: UInt16,
    highestPropertyNumbers: [UInt16: UInt16]
  ) throws(SchemaError) {
    let layouts = layouts.ascending(by: \.entityNumber)
    let linkTables = linkTables.ascending(by: \.layout.entityNumber)
    let indexes = indexes.ascending(by: \.number)
    var numbers = layouts.map(\.entityNumber)
    for table in linkTables { numbers.append(table.layout.entityNumber) }
    for index in indexes { numbers.append(index.number) }
    guard KnownPositions(numbers.count, { numbers[$0] }) != nil,
      let schema = Schema(
        known: layouts, relationshipNumbers, linkTables, indexes, highestEntityNumber,
        highestPropertyNumbers)
    else { throw SchemaError(description: "An entity's name or number occurs twice.") }
    guard numbers.allSatisfy({ $0 >= 1 && $0 <= highestEntityNumber })
    else {
      throw SchemaError(
        description: "An entity's number is 0 or above the highest number of the schema.")
    }
    self = schema
  }
}

extension Array {
  /// Returns the elements in the order of their numbers; the same array if it is in order.
  fileprivate func ascending(by number: (Element) -> UInt16) -> [Element] {
    for index in indices.dropFirst() where number(self[index - 1]) > number(self[index]) {
      return sorted { number($0) < number($1) }
    }
    return self
  }
}
