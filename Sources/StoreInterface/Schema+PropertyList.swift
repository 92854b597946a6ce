import Foundation
import ObjectModel
public import PropertyLists
public import Rows

/// A schema as a property list: how stores keep it beside the rows (spec §4.6.3).
///
/// Rows can be read with it alone, without the model.
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
                .array(
                  [
                    .integer(Int64(column.number)), .integer(Int64(column.kind.rawValue)),
                    .string(column.name), .boolean(column.isOptional),
                  ] + (PropertyList(defaultValue: column.defaultValue).map { [$0] } ?? []))
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
        guard case .array(let parts) = part, parts.count == 4 || parts.count == 5,
          let column = parts[2].string, let isOptional = parts[3].boolean,
          let kind = parts[1].integer.flatMap({ UInt8(exactly: $0) })
            .flatMap(ColumnKind.init(rawValue:))
        else { throw fault("a column of '\(name)' is none.") }
        let number = try number(parts[0], "a column's number")
        guard number >= 1, number <= LayoutColumn.Number.highestProperty else {
          throw fault("the number \(number) of '\(name).\(column)' is reserved.")
        }
        var value = Value.null
        if parts.count == 5 {
          guard let found = Value(default: parts[4], kind: kind) else {
            throw fault("the default of '\(name).\(column)' is none of its kind.")
          }
          value = found
        }
        columns.append(
          LayoutColumn(
            number: number, name: column, kind: kind, isOptional: isOptional, defaultValue: value))
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

extension PropertyList {
  /// A default value; `nil` for none.
  fileprivate init?(defaultValue: Value) {
    switch defaultValue {
    case .null, .object: return nil
    case .boolean(let value): self = .boolean(value)
    case .integer(let value): self = .integer(value)
    case .float(let value): self = .real(Double(value))
    case .double(let value): self = .real(value)
    case .date(let value): self = .real(value.timeIntervalSinceReferenceDate)
    case .decimal(let value): self = .string("\(value)")
    case .string(let value), .uri(let value): self = .string(value)
    case .binary(let value): self = .data(value)
    case .uuid(let value): self = .string(value.uuidString)
    }
  }
}

extension Value {
  /// The default of a column of the given kind; `nil` when the list is no value of it.
  fileprivate init?(default list: PropertyList, kind: ColumnKind) {
    switch (kind, list) {
    case (.boolean, .boolean(let value)): self = .boolean(value)
    case (.int16, .integer(let value)) where Int16(exactly: value) != nil,
      (.int32, .integer(let value)) where Int32(exactly: value) != nil,
      (.int64, .integer(let value)):
      self = .integer(value)
    case (.float, .real(let value)): self = .float(Float(value))
    case (.double, .real(let value)): self = .double(value)
    case (.date, .real(let value)): self = .date(Date(timeIntervalSinceReferenceDate: value))
    case (.decimal, .string(let text)):
      guard let value = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) else {
        return nil
      }
      self = .decimal(value)
    case (.string, .string(let text)): self = .string(text)
    case (.uri, .string(let text)): self = .uri(text)
    case (.binary, .data(let bytes)): self = .binary(bytes)
    case (.uuid, .string(let text)):
      guard let value = UUID(uuidString: text) else { return nil }
      self = .uuid(value)
    default: return nil
    }
  }
}
