public import DurableFiles
public import ObjectGraph

/// A file that objects are read from, more than once.
public struct ImportFile: Sendable {
  /// What messages call it.
  public let name: String
  /// The form of its lines.
  public let format: ExchangeFormat
  /// The entity of objects that do not say theirs; `nil` when all must.
  public let entity: String?
  let file: DurableFile

  /// An open file.
  public init(_ file: DurableFile, name: String, format: ExchangeFormat, entity: String? = nil) {
    self.file = file
    self.name = name
    self.format = format
    self.entity = entity
  }

  /// Whether the file contains anything.
  public var hasBytes: Bool {
    get throws { try file.byteCount() > 0 }
  }
}

/// What is wrong with a file that objects are read from, and where.
public struct ImportProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// What messages call the file.
  public internal(set) var file = ""
  /// The line, from 1; 0 when it is none in particular.
  public internal(set) var line: Int
  /// The byte of the line, from 1, where the text can't be read; `nil` for what it means.
  public internal(set) var column: Int?
  /// The property.
  public internal(set) var property: String?
  /// What is wrong, in a sentence.
  public let reason: String
  /// The conflict over unique values, if the problem is one.
  public internal(set) var conflict: ConstraintConflict?

  init(line: Int, column: Int? = nil, property: String? = nil, _ reason: String) {
    self.line = line
    self.column = column
    self.property = property
    self.reason = reason
  }

  /// Whether the text can't be read at all.
  public var isMalformed: Bool { column != nil }

  /// File, line, property and reason.
  public var description: String {
    var text = file
    if line > 0 { text += "\(text.isEmpty ? "line " : ":")\(line)" }
    if let column { text += ":\(column)" }
    if let property { text += ": '\(property)'" }
    return text + ": " + reason
  }
}

/// Why nothing was imported.
public struct ImportError: Error, Sendable, CustomStringConvertible {
  /// What is wrong, as far as it was looked for.
  public let problems: [ImportProblem]

  /// After so many problems no more are looked for.
  public static let mostProblems = 20

  /// A line for each problem.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}
