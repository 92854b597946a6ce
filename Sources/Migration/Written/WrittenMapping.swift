public import ObjectModel
import ObjectQuery

/// A written mapping in its text form, before it is checked against models.
///
/// ```text
/// # People become contacts.
/// from "Trips 1"
/// to   "Trips 2"
///
/// map Person -> Contact
///   where age >= 18
///   fullName = $source.firstName + ' ' + $source.lastName
///   notes    = null
/// map Stop -> Stop using StopPolicy
/// remove Draft
/// add Setting
/// ```
///
/// docs/migration.md describes the form.
public struct WrittenMapping: Sendable, Hashable {
  /// The name of the older version, if the text states it.
  public var sourceName: String?
  /// The name of the newer version, if the text states it.
  public var destinationName: String?
  /// The version hashes of entities of the older version, if the mapping states any.
  public var sourceHashes: [String: VersionHash] = [:]
  /// The version hashes of entities of the newer version, if the mapping states any.
  public var destinationHashes: [String: VersionHash] = [:]
  /// The mappings of the entities.
  public var entityMappings: [EntityMapping]
  /// The file that the mapping was read from, for the messages of errors.
  var origin = Origin()

  /// The place of a mapping, which does not matter when two mappings are compared.
  struct Origin: Sendable, Hashable {
    /// The path of the file; `nil` for a mapping that was not read from a file.
    var path: String?

    static func == (left: Origin, right: Origin) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
  }

  /// Creates a written mapping between versions of the given names.
  public init(
    from sourceName: String? = nil, to destinationName: String? = nil, _ mappings: [EntityMapping]
  ) {
    self.sourceName = sourceName
    self.destinationName = destinationName
    entityMappings = mappings
  }

  /// Reads the text of a mapping.
  ///
  /// - Throws: ``MigrationError`` with code ``MigrationError/Code/badMapping``, the line, and the expected content.
  public init(_ text: String) throws(MigrationError) {
    var parser = MappingParser(text)
    self = try parser.parse()
  }
}

extension MappingModel {
  /// Reads a mapping from its text form and completes it.
  ///
  /// - Throws: ``MigrationError``.
  public init(
    _ text: String, from source: Model, to destination: Model
  ) throws(MigrationError) {
    try self.init(from: source, to: destination, WrittenMapping(text).entityMappings)
  }
}

extension WrittenMapping: CustomStringConvertible {
  /// The text, which reads back as an equal mapping.
  public var description: String {
    var lines: [String] = []
    if let sourceName { lines.append("from \(quoted(sourceName))") }
    if let destinationName { lines.append("to \(quoted(destinationName))") }
    for mapping in entityMappings {
      if !lines.isEmpty { lines.append("") }
      lines.append(head(of: mapping))
      if let predicate = mapping.sourcePredicate { lines.append("  where \(predicate)") }
      for property in mapping.properties {
        lines.append("  \(property.name) = \(property.expression.map { "\($0)" } ?? "null")")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func head(of mapping: EntityMapping) -> String {
    let source = mapping.sourceEntity.map(quoted)
    let destination = mapping.destinationEntity.map(quoted)
    var words: [String]
    switch (source, destination) {
    case (let source?, let destination?): words = ["map", source, "->", destination]
    case (let source?, nil): words = ["remove", source]
    case (nil, let destination?): words = ["add", destination]
    case (nil, nil): words = ["run"]
    }
    let usual = EntityMapping(
      mapping.kind, from: mapping.sourceEntity, to: mapping.destinationEntity)
    if mapping.name != usual.name { words += ["as", quoted(mapping.name)] }
    if let policy = mapping.policyName { words += ["using", quoted(policy)] }
    if mapping.isExact { words.append("exactly") }
    return words.joined(separator: " ")
  }

  private func quoted(_ name: String) -> String {
    let isPlain =
      !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || "_.".contains($0) }
      && !["as", "using", "exactly"].contains(name)
    if isPlain { return name }
    return "\"" + name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}

/// Reads mappings line by line.
private struct MappingParser {
  private let lines: [(number: Int, text: String)]
  private var result = WrittenMapping([])

  init(_ text: String) {
    // A line that ends with a backslash continues on the next line.
    var lines: [(number: Int, text: String)] = []
    var isContinued = false
    for (index, line) in text.split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline
    ).enumerated() {
      var line = String(line)
      let goesOn = line.hasSuffix("\\")
      if goesOn { line.removeLast() }
      if isContinued {
        lines[lines.count - 1].text += " " + line
      } else {
        lines.append((index + 1, line))
      }
      isContinued = goesOn
    }
    self.lines = lines
  }

  mutating func parse() throws(MigrationError) -> WrittenMapping {
    for (number, text) in lines {
      let bare = text.drop { $0.isWhitespace }
      if bare.isEmpty || bare.hasPrefix("#") { continue }
      if text.first?.isWhitespace ?? false {
        try detail(String(bare), number)
      } else {
        try head(String(bare), number)
      }
    }
    return result
  }

  private func wrong(_ line: Int, _ message: String) -> MigrationError {
    MigrationError(.badMapping, "line \(line): \(message)")
  }

  /// Parses a line that begins a mapping or names a version.
  private mutating func head(_ text: String, _ line: Int) throws(MigrationError) {
    var words = try words(in: text, line)
    let keyword = words.removeFirst()
    func name(_ what: String) throws(MigrationError) -> String {
      guard let next = words.first, !next.isKeyword else {
        throw wrong(line, "\"\(keyword.text)\" needs \(what).")
      }
      words.removeFirst()
      return next.text
    }
    var mapping: EntityMapping
    switch keyword.text {
    case "from":
      result.sourceName = try name("the name of a version")
      return try end(words, line)
    case "to":
      result.destinationName = try name("the name of a version")
      return try end(words, line)
    case "map":
      let source = try name("the name of an entity")
      guard words.first?.text == "->" else {
        throw wrong(line, "\"map\" needs two entities with -> between them.")
      }
      words.removeFirst()
      mapping = EntityMapping(.transform, from: source, to: try name("a second entity"))
    case "copy":
      let entity = try name("the name of an entity")
      mapping = EntityMapping(.transform, from: entity, to: entity)
    case "remove": mapping = EntityMapping(.remove, from: try name("the name of an entity"))
    case "add": mapping = EntityMapping(.add, to: try name("the name of an entity"))
    case "run": mapping = EntityMapping(.custom, name: "")
    default:
      throw wrong(
        line,
        """
        Expected from, to, map, copy, remove, add or run, and found "\(keyword.text)". Indent the \
        lines that belong to a mapping.
        """)
    }
    while let word = words.first {
      words.removeFirst()
      switch word.text {
      case "as" where word.isKeyword: mapping.name = try name("a name after \"as\"")
      case "using" where word.isKeyword:
        mapping.policyName = try name("the name of a policy after \"using\"")
        mapping.kind = .custom
      case "exactly" where word.isKeyword: mapping.isExact = true
      default: throw wrong(line, "Expected as, using or exactly, and found \"\(word.text)\".")
      }
    }
    if mapping.name.isEmpty { mapping.name = mapping.policyName ?? "" }
    result.entityMappings.append(mapping)
  }

  private func end(_ words: [Word], _ line: Int) throws(MigrationError) {
    if let word = words.first {
      throw wrong(line, "Expected the end of the line, and found \"\(word.text)\".")
    }
  }

  /// Parses an indented line: a predicate, or the value of a property.
  private mutating func detail(_ text: String, _ line: Int) throws(MigrationError) {
    guard !result.entityMappings.isEmpty else {
      throw wrong(
        line,
        "No mapping precedes this indented line. Do not indent a line that begins a mapping.")
    }
    let place = result.entityMappings.count - 1
    if text.hasPrefix("where"), text.dropFirst(5).first?.isWhitespace ?? false {
      guard result.entityMappings[place].sourcePredicate == nil else {
        throw wrong(line, "The mapping has a \"where\" already. Join the two with AND.")
      }
      do throws(QueryError) {
        result.entityMappings[place].sourcePredicate = try QueryPredicate(String(text.dropFirst(5)))
      } catch { throw wrong(line, "\(error)") }
      return
    }
    guard let equals = text.firstIndex(of: "=") else {
      throw wrong(line, "Expected where, or a property, = and an expression.")
    }
    let name = text[..<equals].filter { !$0.isWhitespace }
    guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || "_.".contains($0) }) else {
      throw wrong(line, "\"\(text[..<equals])\" is not the name of a property.")
    }
    guard result.entityMappings[place][name] == nil else {
      throw wrong(line, "\"\(name)\" has a value in this mapping already.")
    }
    do throws(QueryError) {
      let expression = try QueryExpression(String(text[text.index(after: equals)...]))
      result.entityMappings[place].properties.append(
        PropertyMapping(name, expression == .null ? nil : expression))
    } catch { throw wrong(line, "\(error)") }
  }

  /// A word, or a name in quotation marks.
  private struct Word {
    var text: String
    /// Whether the word is a keyword without quotation marks.
    var isKeyword: Bool
  }

  private func words(in text: String, _ line: Int) throws(MigrationError) -> [Word] {
    var words: [Word] = []
    var rest = text[...]
    while true {
      rest = rest.drop { $0.isWhitespace }
      guard let first = rest.first, first != "#" else { return words }
      if first == "\"" {
        rest.removeFirst()
        var name = ""
        while let character = rest.first, character != "\"" {
          rest.removeFirst()
          if character == "\\", let escaped = rest.first {
            rest.removeFirst()
            name.append(escaped)
          } else {
            name.append(character)
          }
        }
        guard rest.first == "\"" else { throw wrong(line, "A name has no closing quotation mark.") }
        rest.removeFirst()
        words.append(Word(text: name, isKeyword: false))
      } else {
        let word = rest.prefix { !$0.isWhitespace }
        rest = rest.dropFirst(word.count)
        words.append(
          Word(
            text: String(word), isKeyword: ["as", "using", "exactly", "->"].contains(String(word))))
      }
    }
  }
}
