import DurableFiles
import ModelNotations

/// The columns that refer to objects of the files.
struct References {
  /// A column that is a relationship.
  struct Reference: Hashable {
    /// The file and the column.
    var file: Int
    var column: Int
    /// The file with the objects that the column refers to.
    var target: Int
    /// The column of the target with the keys; `nil` if the values are identifiers of the objects.
    var key: Int?
    /// Whether a value is a list of several objects.
    var isToMany: Bool
    /// The name of the relationship.
    var name: String
  }

  private let surveys: [FileSurvey]
  private var candidates: [Reference] = []
  /// The number of values of each candidate that lead to no object, and the first of these values.
  private var misses: [(count: Int, example: String)] = []

  /// Finds the columns whose names or values refer to a file.
  init(_ surveys: [FileSurvey]) {
    self.surveys = surveys
    for (file, survey) in surveys.enumerated() {
      for (column, one) in survey.columns.enumerated() where one.valueCount > 0 {
        if one.hasIdentifiers {
          for target in surveys.indices where surveys[target].identifiers != nil {
            candidates.append(
              Reference(
                file: file, column: column, target: target, isToMany: one.hasLists,
                name: survey.properties[column]))
          }
        } else {
          addByName(file, column, one)
        }
      }
    }
    misses = candidates.map { _ in (0, "") }
  }

  private mutating func addByName(_ file: Int, _ column: Int, _ survey: ColumnSurvey) {
    guard
      let (targets, property) = InferredNames.targets(
        of: survey.name, in: file, among: surveys.map(\.entity))
    else { return }
    for target in targets {
      for key in surveys[target].keys where (target, key) != (file, column) {
        candidates.append(
          Reference(
            file: file, column: column, target: target, key: key, isToMany: false,
            name: property))
      }
    }
  }

  /// Reads the files with candidates again, and finds the candidates of which every value leads to an object.
  mutating func check(_ files: [ImportFile], progress: (Double) throws -> Void) throws {
    for file in files.indices where candidates.contains(where: { $0.file == file }) {
      let own = candidates.indices.filter { candidates[$0].file == file }
      let record = RecordReader(files[file], number: file)
      let total = try Double(max(1, files[file].file.byteCount()))
      var lineCount = 0
      while try record.next() {
        for index in own {
          let field = record.fields[candidates[index].column]
          if !record.isEmpty(field) { check(try record.bytes(of: field), index) }
        }
        lineCount += 1
        if lineCount % 4096 == 0 { try progress(Double(record.offset) / total) }
      }
    }
  }

  private mutating func check(_ bytes: ArraySlice<UInt8>, _ index: Int) {
    let candidate = candidates[index]
    let target = surveys[candidate.target]
    func record(_ bytes: ArraySlice<UInt8>) {
      if misses[index].count == 0 {
        misses[index].example = String(decoding: bytes.prefix(60), as: UTF8.self)
      }
      misses[index].count += 1
    }
    if let key = candidate.key {
      if target.columns[key].keys?.contains(ColumnSurvey.hash(bytes)) != true { record(bytes) }
    } else {
      for part in bytes.split(separator: 0x20)
      where target.identifiers?.contains(ColumnSurvey.hash(part)) != true {
        record(part)
        return
      }
    }
  }

  /// The references, at most one for each column. All references to a file use the same key.
  var found: [Reference] {
    var found: [Reference] = []
    var keys: [Int: Int] = [:]
    for (index, candidate) in candidates.enumerated() where misses[index].count == 0 {
      let isTaken = found.contains { ($0.file, $0.column) == (candidate.file, candidate.column) }
      guard !isTaken else { continue }
      if let key = candidate.key {
        guard keys[candidate.target, default: key] == key else { continue }
        keys[candidate.target] = key
      }
      found.append(candidate)
    }
    return found
  }

  /// Sentences about columns whose names refer to a file, although their values do not.
  var notes: [String] {
    let found = Set(found.map { [$0.file, $0.column] })
    var noted: Set<[Int]> = []
    return candidates.indices.compactMap { index in
      let (candidate, miss) = (candidates[index], misses[index])
      let place = [candidate.file, candidate.column]
      let values = surveys[candidate.file].columns[candidate.column].valueCount
      // A column without any match only has a similar name.
      guard miss.count > 0, miss.count < values, !found.contains(place),
        noted.insert(place).inserted
      else { return nil }
      let column = surveys[candidate.file].columns[candidate.column].name
      return
        "The column '\(column)' of '\(surveys[candidate.file].name)' is not a reference to "
        + "\(surveys[candidate.target].entity): \(miss.count) of its \(values) values refer to no object, "
        + "the first is '\(miss.example)'."
    }
  }
}
