import ModelNotations
import ObjectModel

/// The columns of one file, after all its lines were read.
struct FileSurvey {
  /// The name of the file.
  let name: String
  /// The name of the table in the file: the name of a file of comma-separated values without its ending.
  let table: String
  /// The name of the file's entity.
  var entity: String
  /// The columns that are not left out.
  private(set) var columns: [ColumnSurvey] = []
  /// The names of all columns but the one of identifiers; ``FieldName/none`` for a column that is left out.
  private(set) var columnNames: [String] = []
  /// The names of the properties of the columns.
  private(set) var properties: [String] = []
  /// The hashes of the objects' own identifiers; `nil` if the file has no column `@id`.
  private(set) var identifiers: Set<UInt64>?

  /// The names of columns whose values are usually unique.
  private static let keyNames: Set<String> = [
    "id", "uuid", "guid", "key", "code", "number", "no", "email", "slug", "isbn", "sku", "username",
  ]

  /// Reads a file.
  ///
  /// - Throws: ``ImportError`` with the first place that is unreadable.
  init(
    _ file: ImportFile, number: Int, progress: (_ byteCount: Int) throws -> Void
  ) throws {
    name = file.name
    table = file.table ?? InferredNames.stem(of: file.name)
    entity = file.names.entity(ofTable: table) ?? InferredNames.entity(ofTable: table)
    let record = RecordReader(file, number: number)
    var lineCount = 0
    do {
      while try record.next() {
        if columns.isEmpty { try begin(record.fields.map(\.name), file, record.identifier != nil) }
        for (position, field) in record.fields.enumerated() {
          if record.isEmpty(field) {
            columns[position].addEmpty()
          } else {
            // In a table of JSON, a text that looks like a number is a text.
            columns[position].add(
              try record.bytes(of: field), isText: file.table != nil && field.isQuoted,
              hasDecimalComma: file.hasDecimalCommas)
          }
        }
        if let identifier = record.identifier {
          identifiers?.insert(ColumnSurvey.hash(Array(identifier.utf8)[...]))
        }
        lineCount += 1
        if lineCount % 4096 == 0 { try progress(record.offset) }
      }
      columnNames = record.columnNames
      if columns.isEmpty { try begin(columnNames.filter { $0 != FieldName.none }, file, false) }
    } catch let problem as ImportProblem {
      throw ImportError(problems: [problem])
    }
  }

  private mutating func begin(
    _ names: [String], _ file: ImportFile, _ hasIdentifiers: Bool
  ) throws {
    func refuse(_ reason: String) -> ImportProblem {
      var problem = ImportProblem(line: 1, column: 1, reason)
      problem.file = file.name
      return problem
    }
    guard !names.isEmpty else { throw refuse("The first line must contain the names of columns.") }
    if hasIdentifiers { identifiers = [] }
    var taken: Set<String> = []
    for (position, name) in names.enumerated() {
      let isNamedKey = !Self.keyNames.isDisjoint(with: InferredNames.words(of: name).suffix(1))
      columns.append(
        ColumnSurvey(name, mayBeKey: position == 0 || isNamedKey, isNamedKey: isNamedKey))
      let wanted = file.names.gives(name) ? name : InferredNames.property(of: name)
      let property = InferredNames.free(wanted, among: taken)
      taken.insert(property)
      properties.append(property)
    }
  }

  /// The positions of the columns with unique values, the most likely key first.
  var keys: [Int] { columns.indices.filter { columns[$0].isKey } }

  /// Gives columns the types that the caller has chosen.
  ///
  /// - Throws: ``ImportError`` for a choice about a column that no file has.
  static func apply(_ choices: InferenceChoices, to surveys: inout [FileSurvey]) throws {
    var left = Set(choices.types.keys).union(choices.unique ?? [])
    for file in surveys.indices {
      for column in surveys[file].columns.indices {
        let (name, property) = (
          surveys[file].columns[column].name, surveys[file].properties[column]
        )
        let names = [
          "\(surveys[file].entity).\(property)", "\(surveys[file].entity).\(name)", property, name,
        ]
        left.subtract(names)
        for name in names {
          guard let type = choices.types[name] else { continue }
          surveys[file].columns[column].chosen = (type, choices.days.contains(name) ? .day : nil)
          break
        }
      }
    }
    if let name = left.min() {
      throw ImportError(problems: [ImportProblem(line: 0, "No file has a column '\(name)'.")])
    }
  }

  /// Gives different names to the entities of files with the same name.
  static func makeNamesUnique(_ surveys: inout [FileSurvey]) {
    var taken: Set<String> = []
    for index in surveys.indices {
      surveys[index].entity = InferredNames.free(surveys[index].entity, among: taken)
      taken.insert(surveys[index].entity)
    }
  }
}
