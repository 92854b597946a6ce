/// A class with `@Entity`, checked.
struct EntitySyntax {
  let declaration: ClassSyntax
  /// The arguments of `@Entity`, as the source spells them.
  let arguments: SourceText?
  /// The superclass, if it is an entity too.
  let superentity: SourceText?
  let properties: [PropertySyntax]
}

extension ClassSyntax {
  /// The access level that the added members need: the access level of the type.
  var memberAccess: String {
    for modifier in modifiers {
      switch modifier.text {
      case "public", "open": return "public "
      case "package": return "package "
      default: continue
      }
    }
    return ""
  }
}

/// A property of an entity, checked.
struct PropertySyntax: Equatable {
  enum Role: Equatable {
    /// An attribute or a relationship. The compiler decides that by the type.
    case plain
    case relationship
    case transient
    case derived
    case fetched
  }

  let variable: VariableSyntax
  let role: Role
  /// The arguments of `@Relationship`, `@Derived` or `@Fetched` and then the arguments of `@Attribute`, as the source
  /// spells them, without a name.
  let arguments: [String]
  let isUnique: Bool

  /// The initial value, if it is the same for all objects.
  var constantDefault: SourceText? {
    variable.initialValue.flatMap { PropertySyntax.isConstant($0.text, variable) ? $0 : nil }
  }

  /// The initial value, if it is computed for each object, such as `UUID()`.
  var computedDefault: SourceText? {
    variable.initialValue.flatMap { PropertySyntax.isConstant($0.text, variable) ? nil : $0 }
  }

  private static func isConstant(_ text: String, _ variable: VariableSyntax) -> Bool {
    if ["[]", "[:]"].contains(text.filter { !$0.isWhitespace }),
      variable.type?.shape.isKnownList == true || variable.hasAttributeMarker
    {
      return true
    }
    if let literal = LiteralKind(text) {
      return literal != .text || !LiteralKind.isInterpolated(text)
    }
    guard let tokens = try? SourceLexer.tokens(of: Array(text.utf8)), tokens.count == 2,
      tokens[0].isMark(".")
    else { return false }
    // `Date.now` and similar values differ from object to object.
    return variable.type?.shape.bareName.map { !["Date", "UUID"].contains($0) } ?? true
  }
}

/// The arguments of a macro that may begin with a name.
struct NamedArguments: Equatable {
  /// The name, if the first argument is a literal without a label.
  let name: SourceText?
  /// The arguments after the name, as the source spells them, or `nil`.
  let others: String?

  init(_ arguments: SourceText?) {
    let text = arguments?.text ?? ""
    let bytes = Array(text.utf8)
    guard let tokens = try? SourceLexer.tokens(of: bytes), let first = tokens.first,
      first.kind == .string
    else {
      (name, others) = (nil, text.isBlank ? nil : text)
      return
    }
    let start = arguments?.range.lowerBound ?? 0
    name = SourceText(
      text: String(decoding: bytes[first.range], as: UTF8.self),
      range: start + first.range.lowerBound..<start + first.range.upperBound)
    let hasOthers = tokens.count > 1 && tokens[1].isMark(",")
    let rest = String(
      decoding: bytes[(hasOthers ? tokens[1].range.upperBound : bytes.count)...], as: UTF8.self)
    others = rest.isBlank ? nil : rest
  }
}

extension VariableSyntax {
  /// The property's name in the model, as a literal of the source; `nil` if it is the variable's name.
  var modelName: SourceText? {
    let named = markers.first { ["Attribute", "Relationship"].contains($0.plainName) }
    return named.flatMap { NamedArguments($0.arguments).name }
  }

  /// The property's name in the model.
  var storedName: String { modelName.map { String($0.text.dropFirst().dropLast()) } ?? plainName }
}

extension VariableSyntax {
  /// Whether `@Attribute` marks the property as an attribute. Arrays of unknown types need the mark, because they look
  /// like to-many relationships.
  var hasAttributeMarker: Bool { markers.contains { $0.plainName == "Attribute" } }
}

extension String {
  var isBlank: Bool { allSatisfy(\.isWhitespace) }

  /// Returns arguments without the label of the first one, if it is the given label.
  func withoutLabel(_ label: String) -> String {
    let bytes = Array(utf8)
    guard let tokens = try? SourceLexer.tokens(of: bytes), tokens.count > 1,
      bytes[tokens[0].range].elementsEqual(label.utf8), tokens[1].isMark(":")
    else { return self }
    return String(decoding: bytes[tokens[1].range.upperBound...], as: UTF8.self)
  }
}

/// The kind of a literal, as far as it limits the types that the literal can have.
enum LiteralKind {
  case text, whole, real, boolean, none

  init?(_ text: String) {
    guard let tokens = try? SourceLexer.tokens(of: Array(text.utf8)) else { return nil }
    let hasSign = tokens.first?.isMark("-") ?? false
    guard tokens.count == (hasSign ? 2 : 1), let last = tokens.last else { return nil }
    switch last.kind {
    case .string where !hasSign: self = .text
    case .number:
      let isReal = text.contains(".") || !text.contains("x") && text.lowercased().contains("e")
      self = isReal ? .real : .whole
    case .word where text == "true" || text == "false": self = .boolean
    case .word where text == "nil": self = .none
    default: return nil
    }
  }

  static func isInterpolated(_ text: String) -> Bool {
    let escape = "\\" + text.prefix { $0 == "#" }
    return text.replacing(escape + "\\", with: "").contains(escape + "(")
  }

  /// Returns whether a type accepts the literal; `nil` if the type is not known here.
  func fits(_ shape: TypeSyntax.Shape) -> Bool? {
    if case .optional(let wrapped) = shape { return self == .none ? true : fits(wrapped) }
    guard case .named(let name) = shape else { return nil }
    switch name.split(separator: ".").last {
    case "String": return self == .text
    case "Int", "Int16", "Int32", "Int64": return self == .whole
    case "Double", "Float", "Decimal": return self == .whole || self == .real
    case "Bool": return self == .boolean
    case "Date", "UUID", "URL", "Data": return false
    default: return self == .none ? false : nil
    }
  }
}

extension TypeSyntax.Shape {
  /// The name of the type, without optionality and the parts before dots; `nil` for a type without a name.
  var bareName: String? {
    switch self {
    case .named(let name): name.split(separator: ".").last.map(String.init)
    case .optional(let wrapped): wrapped.bareName
    default: nil
    }
  }

  var unwrapped: TypeSyntax.Shape { if case .optional(let shape) = self { shape } else { self } }

  /// Whether the type is `RelatedObjects`.
  var isRelated: Bool { if case .related = self { true } else { false } }

  /// Whether the type is an array of values, or a dictionary. Such a list is an attribute.
  var isKnownList: Bool {
    switch unwrapped {
    case .array(let element): element.isKnownValue
    case .dictionary: true
    default: false
    }
  }

  /// The type of a relationship to many objects of this type.
  var many: String {
    switch self {
    case .named(let name): "RelatedObjects<\(name)>"
    case .optional(let wrapped): wrapped.many
    default: "RelatedObjects<Element>"
    }
  }

  /// Whether the type is a value type of the standard library or of Foundation, known here by name.
  var isKnownValue: Bool {
    let names: Set<String> = [
      "String", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32",
      "UInt64", "Double", "Float", "Decimal", "Bool", "Date", "UUID", "URL", "Data", "Character",
    ]
    return bareName.map(names.contains) ?? false
  }
}
