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
  /// The place of the file among the files of the import.
  var fileNumber = Int.max
  /// The position of the property in its object; -1 for the object itself.
  var fieldNumber = -1
  /// Whether nothing behind the problem can be read.
  var endsFile = false

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

extension ImportProblem: Comparable {
  /// Whether a problem comes before another in the order of the files. Problems of no line come last.
  public static func < (left: ImportProblem, right: ImportProblem) -> Bool {
    func place(_ problem: ImportProblem) -> (Int, Int, Int) {
      (problem.fileNumber, problem.line > 0 ? problem.line : .max, problem.fieldNumber)
    }
    return place(left) < place(right)
  }
}

/// Why nothing was imported.
public struct ImportError: Error, Sendable, CustomStringConvertible {
  /// The first problems, in the order of the files.
  public let problems: [ImportProblem]
  /// How many more problems there are.
  public let hiddenCount: Int
  /// Whether some text can't be read at all.
  public let isMalformed: Bool

  /// So many problems are shown.
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

/// The problems of an import: the first of them in the order of the files, and how many there are.
final class ImportProblems {
  private var first: [ImportProblem] = []
  private var count = 0
  private var hasMalformed = false

  var isEmpty: Bool { count == 0 }

  /// Notes a problem.
  func add(_ problem: ImportProblem) {
    count += 1
    if problem.isMalformed { hasMalformed = true }
    let isFull = first.count == ImportError.mostProblems
    if isFull, let last = first.last, !(problem < last) { return }
    if isFull { first.removeLast() }
    // Problems of one place stay in the order in which they are found.
    let place = first.lastIndex { !(problem < $0) }.map { $0 + 1 } ?? 0
    first.insert(problem, at: place)
  }

  /// Calls `body`, and notes the problem that it throws.
  ///
  /// - Returns: Whether there was none.
  @discardableResult
  func collect(_ body: () throws -> Void) throws -> Bool {
    do {
      try body()
      return true
    } catch let problem as ImportProblem {
      add(problem)
    } catch is ReportedProblem {
      // An earlier walk over the files has noted it.
    }
    return false
  }

  /// The error of all problems.
  var error: ImportError {
    ImportError(problems: first, hiddenCount: count - first.count, isMalformed: hasMalformed)
  }

  /// Throws the error, if there are problems.
  func check() throws(ImportError) {
    if !isEmpty { throw error }
  }
}

/// A problem that an earlier walk over the files has found.
struct ReportedProblem: Error {}
