/// All facts about one attribute type.
///
/// Code that depends on the type of an attribute asks for a fact here, and does not switch over the types. So a new type is a case
/// of ``AttributeType`` and a row of this table. More code changes only if the values are laid out in a new way, in columns of
/// rows or in Swift.
///
/// The rows are objects, because a check of a value asks for one fact, and a copy of a structure would copy all of them.
package final class AttributeTraits: Sendable {
  /// The type's name in a model source file, such as `Integer 64`.
  package let sourceName: String
  /// The type's name in the text of a model, such as `Int64`; `nil` for composite attributes, which name their composite type.
  package let textName: String?
  /// The kind of the values in rows; `nil` for types that are not stored as one value.
  package let content: Value.Kind?
  /// The whole numbers that are values of the type; `nil` for types of another content.
  package let range: ClosedRange<Int64>?
  /// The type of the values in Swift, and whether Foundation declares it.
  package let swiftName: String?
  package let isOfFoundation: Bool
  /// The class of the values in the archives of models, if the type alone determines it.
  package let className: String?
  /// The values in words, for messages and comments: `a whole number of 16 bits`.
  package let words: String
  /// A value as the text of a model contains it, for messages.
  package let example: String

  package var isNumber: Bool { content?.isNumber ?? false }

  /// Whether the text of a model contains values in quotation marks.
  package var isWrittenAsText: Bool {
    switch content {
    case .string, .uri, .uuid, .binary, .date: true
    default: false
    }
  }

  private init(
    _ sourceName: String, _ textName: String?, _ content: Value.Kind?, _ words: String,
    swift: String? = nil, foundation: String? = nil, className: String? = nil,
    range: ClosedRange<Int64>? = nil, example: String
  ) {
    (self.sourceName, self.textName, self.content) = (sourceName, textName, content)
    (self.words, self.example, self.range, self.className) = (words, example, range, className)
    swiftName = swift ?? foundation
    isOfFoundation = foundation != nil
  }

  /// Returns the row of a type of whole numbers.
  private static func integers<N: FixedWidthInteger & SignedInteger>(_: N.Type) -> AttributeTraits {
    AttributeTraits(
      "Integer \(N.bitWidth)", "\(N.self)", .integer, "a whole number of \(N.bitWidth) bits",
      swift: "\(N.self)", className: "NSNumber", range: Int64(N.min)...Int64(N.max), example: "5")
  }

  private static let nothing = "none: values of this type have no text"

  private static let rows: [AttributeType: AttributeTraits] = [
    .undefined: .init("Undefined", "Undefined", nil, "of no type", example: "5"),
    .int16: integers(Int16.self),
    .int32: integers(Int32.self),
    .int64: integers(Int64.self),
    .decimal: .init(
      "Decimal", "Decimal", .decimal, "a decimal number", foundation: "Decimal",
      className: "NSDecimalNumber", example: "2.5"),
    .double: .init(
      "Double", "Double", .double, "a number", swift: "Double", className: "NSNumber",
      example: "2.5"),
    .float: .init(
      "Float", "Float", .float, "a number of 32 bits", swift: "Float", className: "NSNumber",
      example: "2.5"),
    .string: .init(
      "String", "String", .string, "text", swift: "String", className: "NSString",
      example: "\"text\""),
    .boolean: .init(
      "Boolean", "Bool", .boolean, "true or false", swift: "Bool", className: "NSNumber",
      example: "true"),
    .date: .init(
      "Date", "Date", .date, "a date", foundation: "Date", className: "NSDate",
      example: "\"2026-01-31T09:30:00Z\""),
    .binary: .init(
      "Binary", "Data", .binary, "bytes", foundation: "Data", className: "NSData",
      example: "\"AQID\" in Base64"),
    .uuid: .init(
      "UUID", "UUID", .uuid, "a UUID", foundation: "UUID", className: "NSUUID",
      example: "\"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\""),
    .uri: .init(
      "URI", "URL", .uri, "a URI", foundation: "URL", className: "NSURL",
      example: "\"https://www.swift.org\""),
    .transformable: .init(
      "Transformable", "Transformable", .binary, "bytes", foundation: "Data",
      example: "\"AQID\" in Base64"),
    .objectID: .init("ObjectID", "ObjectID", .object, "an object identifier", example: nothing),
    .composite: .init("Composite", nil, nil, "a group of values", example: nothing),
  ]

  /// The rows by the number of their type, which is a multiple of 100. Values are checked one by one, and a dictionary would take
  /// ten times as long.
  fileprivate static let byNumber: [AttributeTraits] = (0...21).map { number in
    rows[AttributeType(rawValue: 100 * number) ?? .undefined]!
  }
}

extension AttributeType {
  /// The facts about the type.
  package var traits: AttributeTraits { AttributeTraits.byNumber[Int(rawValue) / 100] }
}
