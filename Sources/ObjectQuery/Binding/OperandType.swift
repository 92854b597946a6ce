import ObjectModel

/// The type of an expression as far as it is known at binding: enough to refuse comparisons that never have a
/// meaning.
indirect enum OperandType: Hashable, Sendable {
  /// The value may be of any type.
  case unknown
  case null
  case number
  case text
  case date
  case uuid
  case binary
  /// An object of the named entity, or of any entity if `nil`.
  case object(String?)
  case collection(OperandType)

  init(_ type: AttributeType) { self = type.traits.content.map { OperandType($0) } ?? .unknown }

  init(_ value: Value) { self = value.kind.map { OperandType($0) } ?? .null }

  private init(_ kind: Value.Kind) {
    switch kind {
    case .boolean, .integer, .float, .double, .decimal: self = .number
    case .string, .uri: self = .text
    case .date: self = .date
    case .uuid: self = .uuid
    case .binary: self = .binary
    case .object: self = .object(nil)
    }
  }

  /// Returns whether values of the two types may be compared.
  func isComparable(to other: OperandType) -> Bool {
    switch (self, other) {
    case (.unknown, _), (_, .unknown), (.null, _), (_, .null): true
    case (.object, .object): true
    case (.collection(let one), .collection(let two)): one.isComparable(to: two)
    default: self == other
    }
  }

  /// The type of an element; the type itself if it is not a collection.
  var element: OperandType { if case .collection(let type) = self { type } else { self } }

  var isCollection: Bool { if case .collection = self { true } else { false } }

  /// The type in words: "a number".
  var words: String {
    switch self {
    case .unknown: "a value"
    case .null: "nothing"
    case .number: "a number"
    case .text: "text"
    case .date: "a date"
    case .uuid: "a UUID"
    case .binary: "bytes"
    case .object(let entity?): "an object of \"\(entity)\""
    case .object(nil): "an object"
    case .collection(.unknown): "a collection"
    case .collection(.number): "a collection of numbers"
    case .collection(.text): "a collection of texts"
    case .collection(.date): "a collection of dates"
    case .collection(.object(let entity?)): "the objects of \"\(entity)\" at a to-many relationship"
    case .collection: "a collection"
    }
  }
}
