public import PropertyLists
public import Rows

/// A schema as a property list: how stores keep it beside the rows (spec §4.6.3).
///
/// Only what numbers say is kept. Defaults are the model's, whose schema is made again from the model
/// and these numbers.
extension Schema {
  /// The schema's numbers, names and kinds.
  public var propertyList: PropertyList {
    .dictionary([
      "entities": .array(
        layouts.map { layout in
          .dictionary([
            "name": .string(layout.entity),
            "number": .integer(Int64(layout.entityNumber)),
            "columns": .array(
              layout.columns.map { column in
                .array([
                  .integer(Int64(column.number)), .integer(Int64(column.kind.rawValue)),
                  .string(column.name),
                ])
              }),
            "relationships": .dictionary(
              (relationshipNumbers[layout.entity] ?? [:]).mapValues { .integer(Int64($0)) }),
          ])
        }),
      "highestEntity": .integer(Int64(highestEntityNumber)),
      "highestProperties": .dictionary(
        Dictionary(
          uniqueKeysWithValues: highestPropertyNumbers.map {
            ("\($0.key)", .integer(Int64($0.value)))
          })),
    ])
  }

  /// The schema that a property list describes.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/damaged`` when it describes none.
  public init(propertyList: PropertyList) throws {
    func fault(_ words: String) -> StoreError {
      StoreError(.damaged, "The store's schema can't be read: \(words)")
    }
    func number(_ value: PropertyList?, _ name: String) throws -> UInt16 {
      guard let number = value?.integer.flatMap({ UInt16(exactly: $0) }) else {
        throw fault("\(name) is no number of 16 bits.")
      }
      return number
    }
    guard case .array(let entities)? = propertyList["entities"] else {
      throw fault("it has no entities.")
    }
    var layouts: [Layout] = []
    var relationships: [String: [String: UInt16]] = [:]
    for entity in entities {
      guard let name = entity["name"]?.string, case .array(let list)? = entity["columns"] else {
        throw fault("an entity has no name or no columns.")
      }
      var columns: [LayoutColumn] = []
      for part in list {
        guard case .array(let parts) = part, parts.count == 3, let column = parts[2].string,
          let kind = parts[1].integer.flatMap({ UInt8(exactly: $0) })
            .flatMap(ColumnKind.init(rawValue:))
        else { throw fault("a column of '\(name)' is none.") }
        let number = try number(parts[0], "a column's number")
        guard number >= 1, number <= LayoutColumn.Number.highestProperty else {
          throw fault("the number \(number) of '\(name).\(column)' is reserved.")
        }
        columns.append(LayoutColumn(number: number, name: column, kind: kind))
      }
      guard
        let layout = Layout(
          checking: name, entityNumber: try number(entity["number"], "an entity's number"),
          columns: columns)
      else { throw fault("two columns of '\(name)' share a name or a number.") }
      layouts.append(layout)
      if case .dictionary(let numbers)? = entity["relationships"] {
        relationships[name] = try numbers.mapValues { try number($0, "a relationship's number") }
      }
    }
    var highest: [UInt16: UInt16] = [:]
    if case .dictionary(let numbers)? = propertyList["highestProperties"] {
      for (root, value) in numbers {
        guard let root = UInt16(root) else { throw fault("'\(root)' is no entity's number.") }
        highest[root] = try number(value, "a highest number")
      }
    }
    do {
      try self.init(
        layouts: layouts, relationshipNumbers: relationships,
        highestEntityNumber: try number(propertyList["highestEntity"], "the highest entity"),
        highestPropertyNumbers: highest)
    } catch let error as SchemaError {
      throw fault(error.description)
    }
  }
}
