import ObjectModel
import Rows

/// The second pass over the files, for new rows and for changes in a context alike.
extension ImportSurvey {
  /// Reads the files again, and calls `body` with each object and its place in the order of the files.
  ///
  /// - Parameters:
  ///   - problems: Collects the problems that `body` throws.
  ///   - progress: Called repeatedly with the number of bytes that were read.
  ///   - afterEach: Called after each object, also after one with a problem.
  /// - Throws: ``ImportError`` if the files were changed since the first pass.
  func forEachObject(
    of files: [ImportFile], _ problems: ImportProblems, progress: (Int) throws -> Void = { _ in },
    afterEach: () throws -> Void = {}, _ body: (RecordReader, Int) throws -> Void
  ) throws {
    var ordinal = 0
    var before = 0
    for (place, file) in files.enumerated() {
      let record = RecordReader(file, number: place)
      while try record.nextReadable() {
        guard ordinal < numbers.count else { throw ImportSurvey.changed(file) }
        if numbers[ordinal] != ImportSurvey.unknown {
          try problems.collect { try body(record, ordinal) }
        }
        ordinal += 1
        if ordinal % 2048 == 0 { try progress(before + record.offset) }
        try afterEach()
      }
      before += record.offset
    }
    guard ordinal == numbers.count else { throw ImportSurvey.changed(files[files.count - 1]) }
  }

  /// The error for a file whose objects have changed since the first pass.
  static func changed(_ file: ImportFile) -> ImportError {
    var problem = ImportProblem(line: 0, "The file was changed while it was read.")
    problem.file = file.name
    return ImportError(problems: [problem])
  }

  /// Returns the number of the object with an identifier, to which a relationship refers.
  ///
  /// - Parameters:
  ///   - destinations: The entities to which the relationship may refer.
  ///   - name: The name of the relationship.
  /// - Throws: ``ImportProblem`` if the object does not exist, or the relationship can't refer to it; ``ReportedProblem`` if a
  ///   recorded problem is the reason.
  func object(
    _ identifier: String, _ destinations: Set<UInt16>, _ name: String, _ record: RecordReader
  ) throws -> Int {
    guard let number = identifiers.known(identifier), let key = identifiers.key(number) else {
      if let number = identifiers.known(identifier), identifiers.isFaulty(number) {
        throw ReportedProblem()
      }
      throw record.problem(
        name, "The object '\(identifier)' is neither in the imported files nor in the store.")
    }
    try checkOrigin(number, name, record)
    guard destinations.contains(key.entity) else {
      throw record.problem(
        name,
        "The relationship can't refer to '\(identifier)', which is an object of "
          + "'\(plan.schema[key.entity]?.entity ?? "")'.")
    }
    return number
  }
}
