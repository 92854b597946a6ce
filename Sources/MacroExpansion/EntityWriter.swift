/// Writes the members that `@Entity` adds to a class.
struct EntityWriter {
  private let entity: EntitySyntax
  /// The name of the entity, as a literal.
  private let nameLiteral: String
  /// The options in the arguments of `@Entity`, as the source spells them.
  private let options: String?

  init(_ entity: EntitySyntax) {
    self.entity = entity
    let arguments = NamedArguments(entity.arguments)
    nameLiteral = arguments.name?.text ?? "\"\(entity.declaration.plainName)\""
    options = arguments.others
  }

  private var className: String { entity.declaration.name.text }

  private var access: String { entity.declaration.memberAccess }

  /// The generic parameter of the function that returns the properties. No program is expected to use such a name.
  private static let root = "Root__"

  /// Returns the source of the members.
  func members() -> String {
    var members = [nameProperty, propertiesFunction, declarationProperty]
    let computed = entity.properties.filter { $0.computedDefault != nil }
    if !computed.isEmpty { members.append(initialValues(computed)) }
    if let snapshot = SnapshotWriter(entity).members() { members.append(snapshot) }
    return members.joined(separator: "\n")
  }

  private var nameProperty: String {
    "\(access)override class var entityName: Swift.String { \(nameLiteral) }"
  }

  /// The function that returns the properties, generic over the class. A key path of a subclass has the subclass as its
  /// root, even for a property that a superclass declares.
  private var propertiesFunction: String {
    let inherited = entity.superentity.map {
      "\($0.text).entityProperties(of: \(EntityWriter.root).self) + "
    }
    return """
      \(access)class func entityProperties<\(EntityWriter.root): \(className)>(of _: \(EntityWriter.root).Type) -> [EntityProperty] {
        \(inherited ?? "")[
      \(entity.properties.map { "    " + line($0) + "," }.joined(separator: "\n"))
        ]
      }
      """
  }

  private var declarationProperty: String {
    var arguments = ["\(className).self", "named: \(nameLiteral)"]
    if let superentity = entity.superentity {
      arguments.append("inheriting: \(superentity.text).self")
    }
    arguments.append("properties: entityProperties(of: \(className).self)")
    let indexes = expansions("Index")
    let lists = [
      ("unique", expansions("Unique").map(\.text)),
      ("indexes", indexes.filter { $0.words == nil }.map(\.text)),
      ("words", indexes.compactMap(\.words)),
      // The two key paths of `#Inverse` are not in brackets in the source.
      ("inverses", expansions("Inverse").map { "[\($0.text)]" }),
    ]
    for (label, given) in lists where !given.isEmpty {
      arguments.append("\(label): [\(given.joined(separator: ", "))]")
    }
    if let options { arguments.append("options: [\(options)]") }
    return """
      \(access)override class var entityDeclaration: EntityDeclaration? {
        EntityDeclaration(\(arguments.joined(separator: ", ")))
      }
      """
  }

  /// Returns the arguments of the expansions of a macro in the class.
  private func expansions(_ macro: String) -> [SourceText] {
    entity.declaration.expansions.filter { $0.name.text == macro }.compactMap(\.arguments)
  }

  private func initialValues(_ properties: [PropertySyntax]) -> String {
    let lines = properties.map { property in
      "  self.\(property.variable.name.text) = \(property.computedDefault?.text ?? "")"
    }
    return """
      \(access)override func setInitialValues() {
        super.setInitialValues()
      \(lines.joined(separator: "\n"))
      }
      """
  }

  /// Returns the line that declares a property of the entity.
  private func line(_ property: PropertySyntax) -> String {
    let variable = property.variable
    // The marker `@Relationship` may have arguments of a relationship. Without it, the compiler decides by the type
    // whether the property is one.
    let isInMemory =
      property.role == .transient && variable.markers.contains { $0.plainName == "Relationship" }
    let word =
      switch property.role {
      case .plain: "property"
      case .relationship: "relationship"
      case .transient where isInMemory: "relationship"
      case .transient: "transient"
      case .derived: "derived"
      case .fetched: "fetched"
      }
    // An accessor that may throw can't be the end of a key path. For a fetched property, a closure gives the type
    // instead.
    let path =
      property.role == .fetched
      ? "{ (_: \(variable.type?.source.text ?? "")) in }"
      : "\\\(EntityWriter.root).\(variable.name.text)"
    var arguments = ["\"\(variable.storedName)\"", path]
    let isValue = property.role == .plain || property.role == .transient && !isInMemory
    if isValue, let value = property.constantDefault, value.text != "nil" {
      arguments.append("default: \(value.text)")
    }
    if property.isUnique { arguments.append("unique: true") }
    return ".\(word)(\((arguments + property.arguments).joined(separator: ", ")))"
      + (isInMemory ? ".inMemory" : "")
  }
}

extension SourceText {
  /// The key paths after the label `words` of `#Index`; `nil` if the arguments are lists of key paths without a label.
  fileprivate var words: String? {
    let bytes = Array(text.utf8)
    guard let tokens = try? SourceLexer.tokens(of: bytes), tokens.count > 1, tokens[1].isMark(":"),
      tokens[0].kind == .word, bytes[tokens[0].range].elementsEqual("words".utf8)
    else { return nil }
    let paths = String(decoding: bytes[tokens[1].range.upperBound...], as: UTF8.self)
    return String(paths.drop(while: \.isWhitespace))
  }
}

/// Writes the accessors of a property of an entity.
enum AccessorWriter {
  /// Returns the accessors that read and write rows. The hash of the name is computed here, not at run time.
  ///
  /// - Parameter place: The place of the property's type in the program.
  static func accessors(of variable: VariableSyntax, at place: SourcePlace?) -> String {
    var checker = EntityChecker()
    _ = checker.check(variable)
    // The class shows the problem. Accessors that compile keep the compiler from showing more that follow from it.
    guard checker.problems.isEmpty else {
      return "{\n  get { Swift.fatalError() }\n  set { }\n}"
    }
    let name = variable.storedName
    let markers = Set(variable.markers.map(\.plainName))
    if markers.contains("Fetched") {
      return "{\n  get throws { try fetchedObjects(stored: \"\(name)\") }\n}"
    }
    let value = "self[stored: \"\(name)\", \(hash(of: name))]"
    // Whether a type of the program can be stored is known to the compiler alone. Its error belongs to the property.
    let isKnown = variable.type.map { $0.shape.isKnownValue || $0.shape.isRelated } ?? true
    let hasOptions = variable.markers.contains {
      $0.plainName == "Attribute" && NamedArguments($0.arguments).others != nil
    }
    let located = hasOptions ? value.replacing("stored:", with: "attribute:") : value
    let getter = "get {\(isKnown ? " \(value) " : place?.locating(located) ?? " \(value) ")}"
    return markers.contains("Derived")
      ? "{\n  \(getter)\n}" : "{\n  \(getter)\n  set { \(value) = newValue }\n}"
  }

  /// Returns FNV-1a of the name's UTF-8, the same hash as `PropertyHash` in the object graph.
  static func hash(of name: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return "0x" + String(hash, radix: 16)
  }
}
