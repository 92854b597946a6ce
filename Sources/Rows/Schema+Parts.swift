import ObjectModel

extension Schema {
  /// A schema of layouts that somebody kept, such as a store.
  ///
  /// - Throws: ``SchemaError`` when a name or a number is there twice, or one is above the highest
  ///   that is said to have been given.
  public init(
    layouts: [Layout], relationshipNumbers: [String: [String: UInt16]] = [:],
    linkTables: [LinkTable] = [], indexes: [IndexLayout] = [], highestEntityNumber: UInt16,
    highestPropertyNumbers: [UInt16: UInt16]
  ) throws(SchemaError) {
    let layouts = layouts.sorted { $0.entityNumber < $1.entityNumber }
    let numbers =
      (layouts + linkTables.map(\.layout)).map(\.entityNumber) + indexes.map(\.number)
    guard Set(layouts.map(\.entity)).count == layouts.count, Set(numbers).count == numbers.count
    else { throw SchemaError(description: "An entity's name or number is there twice.") }
    guard numbers.allSatisfy({ $0 >= 1 && $0 <= highestEntityNumber })
    else { throw SchemaError(description: "An entity's number is none that was given.") }
    self.init(
      known: layouts, relationshipNumbers,
      linkTables.sorted { $0.layout.entityNumber < $1.layout.entityNumber },
      indexes.sorted { $0.number < $1.number }, highestEntityNumber, highestPropertyNumbers)
  }
}
