/// Parses the declaration of a type or of one variable.
///
/// Functions, nested types and initializers are skipped. The parser refuses source that it does not understand, at its
/// place: a property that the parser missed would be missing in files.
struct DeclarationParser {
  private let bytes: [UInt8]
  private let tokens: [SourceToken]
  private var position = 0
  private var conditionDepth = 0
  private var typeDepth = 0
  private var initializers: [InitializerSyntax] = []

  init(_ source: String) throws(SourceProblem) {
    bytes = Array(source.utf8)
    tokens = try SourceLexer.tokens(of: bytes)
  }

  // MARK: Tokens

  private var next: SourceToken? { position < tokens.count ? tokens[position] : nil }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private func source(_ range: Range<Int>) -> SourceText {
    SourceText(text: text(range), range: range)
  }

  /// The next token if it is a word.
  private var word: String? {
    guard let next, next.kind == .word else { return nil }
    return text(next.range)
  }

  private func isAt(_ mark: Character) -> Bool { next?.isMark(mark) ?? false }

  private var end: Int { position > 0 ? tokens[position - 1].range.upperBound : 0 }

  private func problem(_ message: String) -> SourceProblem {
    SourceProblem(message, at: next?.range ?? end..<end)
  }

  private mutating func takeWord(_ use: String) throws(SourceProblem) -> SourceText {
    guard let next, next.kind == .word else { throw problem("The name of \(use) is expected.") }
    position += 1
    return source(next.range)
  }

  /// Skips a pair of brackets and all source between them.
  ///
  /// - Precondition: The next token is an opening bracket.
  private mutating func skipBrackets() throws(SourceProblem) {
    let opening = tokens[position]
    var closers: [Character] = []
    repeat {
      guard let next else {
        throw SourceProblem("The bracket is not closed.", at: opening.range)
      }
      position += 1
      guard case .mark(let mark) = next.kind else { continue }
      switch mark {
      case "(": closers.append(")")
      case "[": closers.append("]")
      case "{": closers.append("}")
      case ")", "]", "}":
        guard closers.popLast() == mark else {
          throw SourceProblem("The bracket does not match the opening one.", at: next.range)
        }
      default: break
      }
    } while !closers.isEmpty
  }

  /// Skips generic arguments or parameters.
  private mutating func skipGenerics() throws(SourceProblem) {
    let opening = tokens[position]
    var depth = 0
    repeat {
      guard let next else { throw SourceProblem("The bracket is not closed.", at: opening.range) }
      switch next.kind {
      case .mark("("), .mark("["), .mark("{"): try skipBrackets()
      case .mark(let mark):
        // The `>` of an arrow closes no bracket.
        let isArrow = mark == ">" && position > 0 && tokens[position - 1].isMark("-")
        if mark == "<" { depth += 1 } else if mark == ">", !isArrow { depth -= 1 }
        position += 1
      default: position += 1
      }
    } while depth > 0
  }

  // MARK: Attributes and modifiers

  private mutating func parseAttributes() throws(SourceProblem) -> [AttributeSyntax] {
    var attributes: [AttributeSyntax] = []
    while isAt("@") {
      let start = tokens[position].range.lowerBound
      position += 1
      var name = try takeWord("an attribute")
      while isAt(".") {
        position += 1
        name = source(name.range.lowerBound..<(try takeWord("an attribute")).range.upperBound)
      }
      if isAt("<") { try skipGenerics() }
      var arguments: SourceText?
      if let opening = next, opening.isMark("("), !opening.hasSpaceBefore {
        try skipBrackets()
        arguments = source(opening.range.upperBound..<end - 1)
      }
      attributes.append(AttributeSyntax(name: name, arguments: arguments, range: start..<end))
    }
    return attributes
  }

  private static let modifierWords: Set<String> = [
    "open", "public", "package", "internal", "fileprivate", "private", "static", "final", "lazy",
    "weak", "unowned", "override", "mutating", "nonmutating", "dynamic", "optional", "required",
    "convenience", "indirect", "nonisolated", "isolated", "prefix", "infix", "postfix",
    "consuming", "borrowing", "distributed", "sending",
  ]

  private mutating func parseModifiers() throws(SourceProblem) -> [SourceText] {
    var modifiers: [SourceText] = []
    while let word {
      let isClassMember =
        word == "class" && position + 1 < tokens.count
        && ["var", "let", "func", "subscript", "override", "final"].contains(
          text(tokens[position + 1].range))
      guard DeclarationParser.modifierWords.contains(word) || isClassMember else { break }
      let start = tokens[position].range.lowerBound
      position += 1
      if let next, next.isMark("("), !next.hasSpaceBefore { try skipBrackets() }
      modifiers.append(source(start..<end))
    }
    return modifiers
  }

  // MARK: Types of declarations

  private static let typeWords: Set<String> = [
    "class", "struct", "enum", "actor", "protocol", "extension",
  ]

  /// Parses the beginning of the declaration of a type, up to its keyword.
  mutating func parseTypeHead() throws(SourceProblem) -> (
    attributes: [AttributeSyntax], modifiers: [SourceText], keyword: SourceText
  ) {
    let attributes = try parseAttributes()
    let modifiers = try parseModifiers()
    guard let word, DeclarationParser.typeWords.contains(word) else {
      throw problem("A class is expected.")
    }
    return (attributes, modifiers, try takeWord("a type"))
  }

  /// Parses the declaration of a type.
  mutating func parseClass() throws(SourceProblem) -> ClassSyntax {
    let (attributes, modifiers, keyword) = try parseTypeHead()
    let name = try takeWord("the class")
    let isGeneric = isAt("<")
    if isGeneric { try skipGenerics() }
    var inherited: [SourceText] = []
    if isAt(":") {
      repeat {
        position += 1
        _ = try parseAttributes()
        inherited.append(try parseType().source)
      } while isAt(",")
    }
    while let next, !next.isMark("{") {
      if next.isMark("(") || next.isMark("[") { try skipBrackets() } else { position += 1 }
    }
    guard isAt("{") else { throw problem("The body of the class is expected.") }
    position += 1
    let (variables, expansions) = try parseMembers()
    return ClassSyntax(
      attributes: attributes, modifiers: modifiers, keyword: keyword, name: name,
      isGeneric: isGeneric, inherited: inherited, variables: variables,
      initializers: initializers, expansions: expansions)
  }

  private mutating func parseMembers() throws(SourceProblem) -> (
    [VariableSyntax], [ExpansionSyntax]
  ) {
    var variables: [VariableSyntax] = []
    var expansions: [ExpansionSyntax] = []
    while !isAt("}") {
      guard next != nil else { throw problem("The body of the class does not end.") }
      if isAt(";") {
        position += 1
      } else if isAt("#") {
        if let expansion = try parseDirective() { expansions.append(expansion) }
      } else {
        variables += try parseMember()
      }
    }
    return (variables, expansions)
  }

  /// Parses the expansion of a macro, or skips a directive such as `#if`.
  private mutating func parseDirective() throws(SourceProblem) -> ExpansionSyntax? {
    position += 1
    let name = try takeWord("the directive")
    switch name.text {
    case "if": conditionDepth += 1
    case "endif": conditionDepth -= 1
    case "elseif", "else", "warning", "error", "sourceLocation": break
    default:
      if isAt("<") { try skipGenerics() }
      var arguments: SourceText?
      while let next, !next.beginsLine, next.isMark("(") || next.isMark("{") {
        try skipBrackets()
        if next.isMark("(") { arguments = source(next.range.upperBound..<end - 1) }
      }
      return ExpansionSyntax(name: name, arguments: arguments)
    }
    while let next, !next.beginsLine, !next.isMark("}") { position += 1 }
    return nil
  }

  private mutating func parseMember() throws(SourceProblem) -> [VariableSyntax] {
    let start = next?.range.lowerBound ?? end
    let attributes = try parseAttributes()
    let modifiers = try parseModifiers()
    switch word {
    case "var", "let": return try parseVariables(attributes, modifiers, start)
    case "init": initializers.append(try parseInitializer(modifiers))
    case "func", "deinit", "subscript", "class", "struct", "enum", "actor", "protocol",
      "extension", "precedencegroup":
      try skipDeclaration()
    case "typealias", "associatedtype", "import", "operator":
      position += 1
      skipExpression()
    default: throw problem("A declaration is expected.")
    }
    return []
  }

  private mutating func parseInitializer(
    _ modifiers: [SourceText]
  ) throws(SourceProblem) -> InitializerSyntax {
    let keyword = try takeWord("the initializer").range
    if isAt("?") || isAt("!") { position += 1 }
    if isAt("<") { try skipGenerics() }
    guard isAt("(") else { throw problem("The parameters of the initializer are expected.") }
    try skipBrackets()
    while let next, !next.isMark("{"), !next.isMark("}") { position += 1 }
    let header = source(keyword.lowerBound..<(next?.range.upperBound ?? end))
    try skipDeclaration()
    return InitializerSyntax(modifiers: modifiers, header: header, keyword: keyword)
  }

  /// Skips a declaration up to the end of its body.
  private mutating func skipDeclaration() throws(SourceProblem) {
    while let next, !next.isMark("{") {
      if next.isMark("}") { throw problem("The body of the declaration is expected.") }
      if next.isMark("(") || next.isMark("[") { try skipBrackets() } else { position += 1 }
    }
    guard next != nil else { throw problem("The body of the declaration is expected.") }
    try skipBrackets()
  }

  // MARK: Variables

  /// Parses the declaration of one variable.
  mutating func parseVariable() throws(SourceProblem) -> VariableSyntax? {
    let start = next?.range.lowerBound ?? end
    let attributes = try parseAttributes()
    let modifiers = try parseModifiers()
    guard word == "var" || word == "let" else { return nil }
    return try parseVariables(attributes, modifiers, start).first
  }

  private mutating func parseVariables(
    _ attributes: [AttributeSyntax], _ modifiers: [SourceText], _ start: Int
  ) throws(SourceProblem) -> [VariableSyntax] {
    let keyword = try takeWord("the variable")
    var variables: [VariableSyntax] = []
    repeat {
      if !variables.isEmpty { position += 1 }
      if isAt("(") { throw problem("Declare each property separately, not in a tuple.") }
      let name = try takeWord("the property")
      var type: TypeSyntax?
      if isAt(":") {
        position += 1
        type = try parseType()
      }
      var initialValue: SourceText?
      if isAt("=") {
        position += 1
        let first = next?.range.lowerBound ?? end
        skipExpression()
        guard end > first else { throw problem("The initial value is expected.") }
        initialValue = source(first..<end)
      }
      let accessors = try parseAccessors()
      variables.append(
        VariableSyntax(
          attributes: attributes, modifiers: modifiers, keyword: keyword, name: name, type: type,
          initialValue: initialValue, accessors: accessors, isConditional: conditionDepth > 0,
          range: start..<end))
    } while isAt(",")
    return variables
  }

  private static let accessorWords: Set<String> = [
    "get", "set", "willSet", "didSet", "init", "_read", "_modify", "read", "modify",
    "unsafeAddress", "unsafeMutableAddress", "mutating", "nonmutating", "borrow", "mutate",
  ]

  /// Returns whether a block of accessors begins here.
  private func isAtAccessors(_ words: Set<String>) -> Bool {
    guard isAt("{"), position + 1 < tokens.count else { return false }
    let first = tokens[position + 1]
    if first.isMark("@") { return true }
    return first.kind == .word && words.contains(text(first.range))
  }

  private mutating func parseAccessors() throws(SourceProblem) -> VariableSyntax.Accessors {
    guard isAt("{") else { return .none }
    let isObserved = isAtAccessors(["willSet", "didSet"])
    let start = tokens[position].range.lowerBound
    try skipBrackets()
    return isObserved ? .observers(start..<end) : .computed
  }

  /// Skips an expression up to the end of its declaration.
  private mutating func skipExpression() {
    let first = position
    while let next {
      if next.isMark(",") || next.isMark(";") || next.isMark("}") || next.isMark(")") { return }
      if isAtAccessors(DeclarationParser.accessorWords) { return }
      if position > first, next.beginsLine, !isContinued { return }
      if next.isMark("(") || next.isMark("[") || next.isMark("{") {
        do { try skipBrackets() } catch { position = tokens.count }
      } else {
        position += 1
      }
    }
  }

  /// Whether the next token, the first of its line, continues the expression before it.
  private var isContinued: Bool {
    guard position > 0, let next else { return false }
    let operators: Set<Character> = [
      "+", "-", "*", "/", "%", "=", "<", ">", "&", "|", "^", "~", ":", ",", ".",
    ]
    // A binary operator at the end of a line has space before it. A mark without space before it, such as `!`, belongs
    // to its operand.
    if case .mark(let last) = tokens[position - 1].kind {
      if operators.contains(last) { return true }
      if last == "?", tokens[position - 1].hasSpaceBefore { return true }
    }
    switch next.kind {
    case .mark("."), .mark("?"), .mark(":"): return true
    case .mark(let mark) where operators.contains(mark):
      // The operator begins its line. With space after it, it stands between two operands.
      return position + 1 < tokens.count && tokens[position + 1].hasSpaceBefore
        || isOperator(position + 1)
    case .word: return ["as", "is"].contains(text(next.range))
    default: return false
    }
  }

  private func isOperator(_ index: Int) -> Bool {
    guard index < tokens.count, case .mark(let mark) = tokens[index].kind else { return false }
    return "+-*/%=<>&|^~?".contains(mark)
  }

  // MARK: Types

  private mutating func parseType() throws(SourceProblem) -> TypeSyntax {
    let start = next?.range.lowerBound ?? end
    let shape = try parseShape()
    return TypeSyntax(source: source(start..<end), shape: shape)
  }

  private mutating func parseShape() throws(SourceProblem) -> TypeSyntax.Shape {
    guard typeDepth < SourceLexer.mostDepth else {
      throw problem("The type is nested too deeply.")
    }
    typeDepth += 1
    defer { typeDepth -= 1 }
    _ = try parseAttributes()
    var isExistential = false
    while let word,
      ["any", "some", "inout", "borrowing", "consuming", "sending", "repeat"].contains(word)
    {
      isExistential = true
      position += 1
    }
    if isAt("~") {
      isExistential = true
      position += 1
    }
    var shape = try parsePrimaryShape()
    var isDone = false
    while !isDone, let next, !next.beginsLine {
      switch next.kind {
      case .mark("?"): shape = .optional(shape)
      case .mark("!"): shape = .implicitlyUnwrapped(shape)
      default:
        isDone = true
        continue
      }
      position += 1
    }
    if isAt("&") {
      position += 1
      _ = try parseShape()
      return .existential
    }
    if let word, ["async", "throws", "rethrows"].contains(word), next?.beginsLine == false {
      position += 1
      if isAt("(") { try skipBrackets() }
    }
    if isAt("-"), position + 1 < tokens.count, tokens[position + 1].isMark(">") {
      position += 2
      _ = try parseShape()
      return .function
    }
    return isExistential ? .existential : shape
  }

  private mutating func parsePrimaryShape() throws(SourceProblem) -> TypeSyntax.Shape {
    if isAt("(") {
      try skipBrackets()
      return .tuple
    }
    if isAt("[") {
      position += 1
      let element = try parseShape()
      let isDictionary = isAt(":")
      if isDictionary {
        position += 1
        _ = try parseShape()
      }
      guard isAt("]") else { throw problem("The end of the type is expected: ].") }
      position += 1
      return isDictionary ? .dictionary : .array(element)
    }
    var name = try takeWord("a type").text
    var argument: TypeSyntax.Shape?
    while true {
      if isAt("<") {
        let opening = position
        position += 1
        argument = try? parseShape()
        position = opening
        try skipGenerics()
      } else if isAt("."), next?.beginsLine == false {
        position += 1
        name += "." + (try takeWord("a type")).text
      } else {
        break
      }
    }
    switch (name, argument) {
    case ("Optional", let argument?), ("Swift.Optional", let argument?): return .optional(argument)
    case ("Array", let argument?), ("Swift.Array", let argument?): return .array(argument)
    case ("RelatedObjects", let argument?), ("ObjectGraph.RelatedObjects", let argument?),
      ("Quire.RelatedObjects", let argument?):
      return .related(argument)
    case ("Set", let argument?), ("Swift.Set", let argument?): return .set(argument)
    case ("Dictionary", _?), ("Swift.Dictionary", _?): return .dictionary
    default: return .named(name)
    }
  }
}
