package import DurableFiles
import ModelNotations
public import ObjectGraph

/// A file that an import reads, more than once.
package struct ImportFile: Sendable {
  /// The name of the file in messages.
  package let name: String
  /// The format of the file.
  package let format: ExchangeFormat
  /// The entity of objects that do not name their entity; `nil` if all objects must name it.
  package internal(set) var entity: String?
  /// The name of the table that the file contains, if it was made of JSON or of a store.
  package var table: String?
  /// The names of the model for names in the file.
  package var names = ImportNames()
  /// The byte between the cells of a line.
  package var delimiter = UInt8(ascii: ",")
  /// Whether the numbers of comma-separated values have a comma in place of the decimal point.
  package var hasDecimalCommas = false
  /// Whether a name that occurs twice in the first line gets a number, because the model is made of the names.
  var renamesColumns = false
  /// The meaning of the columns of comma-separated values, without the ones of entities and identifiers; `nil` if the
  /// first line contains names of properties.
  var columns: [ImportColumn]?
  package let file: DurableFile

  /// Creates a value from an open file.
  package init(_ file: DurableFile, name: String, format: ExchangeFormat, entity: String? = nil) {
    self.file = file
    self.name = name
    self.format = format
    self.entity = entity
  }

  /// The name of the table: the name of a file without its ending.
  var tableName: String { table ?? InferredNames.stem(of: name) }

  /// The bytes that separate cells, and their names.
  package static let delimiters: KeyValuePairs<String, UInt8> = [
    ",": 0x2C, ";": 0x3B, "tab": 0x09, "|": 0x7C,
  ]

  /// Finds the byte between the cells: the one that the first line contains most often outside of quotes.
  package mutating func findDelimiter() throws {
    let start = try file.read(byteCount: min(byteCount, 1 << 16), at: 0)
    var counts: [UInt8: Int] = [:]
    var isQuoted = false
    for byte in start {
      if byte == 0x22 { isQuoted.toggle() }
      if isQuoted { continue }
      if byte == 0x0A || byte == 0x0D { break }
      counts[byte, default: 0] += 1
    }
    var most = 0
    for (_, byte) in ImportFile.delimiters {
      if let count = counts[byte], count > most { (delimiter, most) = (byte, count) }
    }
  }

  /// Whether the file is not empty.
  package var hasBytes: Bool {
    get throws { try byteCount > 0 }
  }

  /// The size of the file in bytes.
  package var byteCount: Int {
    get throws { try file.byteCount() }
  }
}

/// A problem in an imported file, with its place.
public struct ImportProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the file in messages.
  public internal(set) var file = ""
  /// The number of the line, from 1; 0 if the problem belongs to no single line.
  public internal(set) var line: Int
  /// The byte in the line, from 1, at which the text is unreadable; `nil` if the text is readable but its meaning is
  /// wrong.
  public internal(set) var column: Int?
  /// The property; `nil` if the problem belongs to no single property.
  public internal(set) var property: String?
  /// The description of the problem, in a sentence.
  public let reason: String
  /// The uniqueness conflict; `nil` if the problem is of another kind.
  public internal(set) var conflict: ConstraintConflict?
  /// The index of the file among the files of the import.
  var fileNumber = Int.max
  /// The position of the property in its object; -1 for the object itself.
  var fieldNumber = -1
  /// Whether the rest of the file is unreadable.
  var endsFile = false
  /// Whether the text is not UTF-8.
  package internal(set) var isNotUTF8 = false
  /// Whether the model has no entity or no property of a name in the file.
  package internal(set) var isUnknownName = false
  /// Whether neither the object nor its file names an entity.
  package internal(set) var lacksEntity = false

  init(line: Int, column: Int? = nil, property: String? = nil, _ reason: String) {
    self.line = line
    self.column = column
    self.property = property
    self.reason = reason
  }

  /// Whether the text is unreadable.
  public var isMalformed: Bool { column != nil }

  /// The file, line, property and reason.
  public var description: String {
    var text = file
    if line > 0 { text += "\(text.isEmpty ? "line " : ":")\(line)" }
    if let column { text += ":\(column)" }
    if let property { text += ": '\(property)'" }
    return text + ": " + reason
  }
}

extension ImportProblem: Comparable {
  /// Whether a problem comes before another in the order of the files. Problems without a line come last.
  public static func < (left: ImportProblem, right: ImportProblem) -> Bool {
    func place(_ problem: ImportProblem) -> (Int, Int, Int) {
      (problem.fileNumber, problem.line > 0 ? problem.line : .max, problem.fieldNumber)
    }
    return place(left) < place(right)
  }
}

/// The error of an import that has imported nothing.
public struct ImportError: Error, Sendable, CustomStringConvertible {
  /// The first problems, in the order of the files.
  public let problems: [ImportProblem]
  /// The number of further problems.
  public let hiddenCount: Int
  /// Whether some text is unreadable.
  public let isMalformed: Bool

  /// The maximum number of problems in an error.
  public static let mostProblems = 20

  init(problems: [ImportProblem], hiddenCount: Int = 0, isMalformed: Bool? = nil) {
    self.problems = problems
    self.hiddenCount = hiddenCount
    self.isMalformed = isMalformed ?? problems.contains(where: \.isMalformed)
  }

  /// A line for each shown problem, and a line with the number of hidden problems.
  public var description: String {
    var lines = problems.map(\.description)
    if hiddenCount > 0 {
      lines.append(
        hiddenCount == 1
          ? "1 more problem is not shown." : "\(hiddenCount) more problems are not shown.")
    }
    return lines.joined(separator: "\n")
  }
}

/// Collects the problems of an import: the first ones in the order of the files, and the total number.
final class ImportProblems {
  private var first: [ImportProblem] = []
  private var count = 0
  private var hasMalformed = false

  var isEmpty: Bool { count == 0 }

  func add(_ problem: ImportProblem) {
    count += 1
    if problem.isMalformed { hasMalformed = true }
    let isFull = first.count == ImportError.mostProblems
    if isFull, let last = first.last, !(problem < last) { return }
    if isFull { first.removeLast() }
    // Problems of the same place stay in the order in which they were found.
    let place = first.lastIndex { !(problem < $0) }.map { $0 + 1 } ?? 0
    first.insert(problem, at: place)
  }

  /// Calls `body`, and records the problem that it throws.
  ///
  /// - Returns: Whether `body` threw no problem.
  @discardableResult
  func collect(_ body: () throws -> Void) throws -> Bool {
    do {
      try body()
      return true
    } catch let problem as ImportProblem {
      add(problem)
    } catch is ReportedProblem {
      // An earlier pass over the files has recorded the problem.
    }
    return false
  }

  /// The error that contains the recorded problems.
  var error: ImportError {
    ImportError(problems: first, hiddenCount: count - first.count, isMalformed: hasMalformed)
  }

  /// Throws the error, if there are problems.
  func check() throws(ImportError) {
    if !isEmpty { throw error }
  }
}

/// A problem that an earlier pass over the files has already recorded.
struct ReportedProblem: Error {}
