import Foundation
import JSONText
import ObjectModel
import ObjectQuery

/// The values of a predicate's placeholders, from JSON.
struct PredicateArguments {
  let values: [(any QueryArgument)?]

  init(_ json: JSON?, _ connection: Connection) throws {
    guard let json else {
      values = []
      return
    }
    guard case .array(let items) = json else {
      throw CallError(.badArgument, "The arguments of a predicate must be a JSON array.")
    }
    values = try items.map { item in
      if case .null = item { return nil }
      return try PredicateArguments.expression(item, connection)
    }
  }

  private static func expression(_ json: JSON, _ connection: Connection) throws -> QueryExpression {
    switch json {
    case .null: return .constant(.null)
    case .boolean(let value): return .constant(.boolean(value))
    case .number(let digits):
      if let number = Int64(digits) { return .constant(.integer(number)) }
      guard let number = Double(digits) else { throw wrong(json) }
      return .constant(.double(number))
    case .string(let text): return .constant(.string(text))
    case .array(let items):
      return .aggregate(try items.map { try expression($0, connection) })
    case .members(let members):
      guard members.count == 1 else { throw wrong(json) }
      return try typed(members[0], connection)
    }
  }

  private static func typed(
    _ member: JSON.Member, _ connection: Connection
  ) throws -> QueryExpression {
    if member.name == "object", case .number(let digits) = member.value,
      let number = UInt64(digits)
    {
      return .object(connection.identifier(ObjectKey(rawValue: number)))
    }
    let types: [String: AttributeType] = [
      "date": .date, "decimal": .decimal, "uuid": .uuid, "binary": .binary,
    ]
    guard let type = types[member.name], case .string(let text) = member.value,
      let value = ValueText.exchange.value(text, of: type)
    else { throw wrong(.members([member])) }
    return .constant(value)
  }

  private static func wrong(_ json: JSON) -> CallError {
    CallError(.badArgument, "\(json.line) is not the argument of a predicate.")
  }
}
