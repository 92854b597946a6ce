// SAFETY: The description lives as long as the `RowInput` that reads it.

internal import CArrow
import Foundation
import ObjectGraph
import ObjectModel

/// A column of rows that become objects, and the property that it sets.
@safe
struct InputColumn {
  let index: Int
  let schema: UnsafeMutablePointer<ArrowSchema>
  private let name: String
  private let target: Target

  private enum Target {
    case attribute(AttributeType)
    case relationship(Relationship)
  }

  /// Finds the property of a column; `nil` for the column of identifiers, which new objects get themselves.
  @unsafe init?(
    _ schema: UnsafeMutablePointer<ArrowSchema>, at index: Int, of entity: String,
    _ connection: Connection
  ) throws {
    name = unsafe schema.pointee.name.map { unsafe String(cString: $0) } ?? ""
    if name == RequestReading.identifier { return nil }
    unsafe self.schema = unsafe schema
    self.index = index
    let path = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    switch connection.model.property(path.first ?? "", of: entity) {
    case .attribute(let attribute) where attribute.derivation == nil && !attribute.isTransient:
      guard let part = connection.model.part(at: path.dropFirst(), of: attribute),
        part.type != .composite
      else { throw CallError(.unknownName, "There is no attribute \"\(name)\".") }
      target = .attribute(part.type)
    case .relationship(let relationship) where !relationship.isToMany && path.count == 1:
      target = .relationship(relationship)
    default:
      throw CallError(
        .unknownName,
        "The entity \"\(entity)\" has no attribute or to-one relationship \"\(name)\" that can be set."
      )
    }
  }

  /// Sets the property of an object.
  func set(
    _ cell: InputCells.Cell, of object: ManagedObject, row: Int, _ connection: Connection
  ) throws {
    switch target {
    case .attribute(let type):
      guard let value = cell.value(of: type) else {
        throw CallError(
          .badChange,
          "Row \(row): \(cell) is not a value of \"\(name)\", which has the type \(type).")
      }
      try object.set(SharedValue(value, forKey: name))
    case .relationship(let relationship):
      switch cell {
      case .null: object.setObjects([], forKey: name)
      case .integer(let number):
        let other = try connection.object(UInt64(bitPattern: number))
        try connection.check([other], for: relationship)
        object.setObjects([other], forKey: name)
      default:
        throw CallError(.badChange, "Row \(row): \(cell) is not an identifier for \"\(name)\".")
      }
    }
  }
}

extension InputCells.Cell {
  /// Returns the cell as a value of a type; `nil` if the type has no such value.
  fileprivate func value(of type: AttributeType) -> Value? {
    let traits = type.traits
    switch (self, traits.content) {
    case (.null, _): return .null
    case (.boolean(let flag), .boolean): return .boolean(flag)
    case (.integer(let number), .integer):
      return traits.range?.contains(number) ?? true ? .integer(number) : nil
    case (.integer(let number), .boolean) where number == 0 || number == 1:
      return .boolean(number == 1)
    case (.integer(let number), .double): return .double(Double(number))
    case (.integer(let number), .float): return .float(Float(number))
    case (.integer(let number), .decimal): return .decimal(Decimal(number))
    case (.number(let number), .double): return .double(number)
    case (.number(let number), .float): return .float(Float(number))
    // Data frames keep whole numbers with gaps as floating-point numbers.
    case (.number(let number), .integer):
      guard let whole = Int64(exactly: number), traits.range?.contains(whole) ?? true else {
        return nil
      }
      return .integer(whole)
    case (.number(let number), .decimal):
      return ValueText.exchange.value(RealText.text(number), of: type)
    case (.moment(let seconds), .date): return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case (.text(let text), let content?) where content != .binary && content != .object:
      return ValueText.exchange.value(text, of: type)
    case (.bytes(let bytes), .binary): return .binary(bytes)
    case (.bytes(let bytes), .uuid) where bytes.count == 16:
      return .uuid(UUID(bytes))
    default: return nil
    }
  }
}

extension UUID {
  /// Creates a UUID of sixteen bytes.
  fileprivate init(_ bytes: Data) {
    let b = Array(bytes)
    self.init(
      uuid: (
        b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
        b[14], b[15]
      ))
  }
}
