import DurableFiles
public import ObjectModel

/// A model for the objects of files of comma-separated values, inferred from all their values.
///
/// ```text
/// let inferred = try InferredModel(from: [trips, stops])
/// let store = try backend.create(at: path, model: inferred.model, …)
/// try ObjectImport(into: store, inferred.files).run()
/// ```
///
/// Each file becomes an entity, and each column an attribute or a relationship:
///
/// - The type is the narrowest type that every value has. A column without an empty cell is required.
/// - A column is unique if all its values differ, and it is the first column or has a name such as `id`, `code` or `email`.
/// - A column whose name leads to another file, such as `trip` or `trip_id` beside `trips.csv`, is a relationship if each
///   of its values occurs in a unique column of that file. The other file gets the inverse.
/// - In files of `quire export`, identifiers such as `4/p1` lead to the objects with these identifiers.
///
/// The files are read twice at most, in memory for the unique columns alone.
public struct InferredModel {
  /// The model.
  public let model: Model
  /// The files, with the meaning of their columns.
  public let files: [ImportFile]
  /// Sentences about columns that could have been inferred differently.
  public let notes: [String]

  /// Infers a model from files.
  ///
  /// - Parameter progress: Called repeatedly with the fraction of the work that is done. If it throws, the work ends.
  /// - Throws: ``ImportError`` for text that is unreadable; ``ModelError`` if the names of columns make no model.
  public init(
    from files: [ImportFile], progress: (Double) throws -> Void = { _ in }
  ) throws {
    var surveys: [FileSurvey] = []
    let total = try Double(max(1, files.reduce(0) { try $0 + $1.file.byteCount() }))
    var done = 0.0
    for (number, file) in files.enumerated() {
      let survey = try FileSurvey(file, number: number) {
        try progress(min(0.5, (done + Double($0)) / total / 2))
      }
      done += try Double(file.file.byteCount())
      surveys.append(survey)
    }
    FileSurvey.makeNamesUnique(&surveys)
    var references = References(surveys)
    try references.check(files) { try progress(0.5 + $0 / 2) }
    var builder = InferredEntities(surveys, references.found)
    model = try Model(builder.description())
    self.files = zip(files, surveys.indices).map { file, index in
      var file = file
      file.columns = builder.columns(of: index)
      file.entity = surveys[index].entity
      return file
    }
    notes = references.notes
  }
}

/// The meaning of the columns of a file, if the first line of the file contains other names than those of properties.
public struct ImportColumns: Sendable, Hashable {
  /// The name of the property of each column, in the order of the columns.
  var properties: [String]
  /// The texts that precede the values of columns that are relationships. Objects of several entities may have the same
  /// keys, and the text distinguishes them.
  var prefixes: [String]
  /// The column that contains the key of the object, and the text before the key; `nil` if no other object refers to
  /// the objects of the file by a key.
  var key: (column: Int, prefix: String)?

  /// Returns whether two values are equal.
  public static func == (left: ImportColumns, right: ImportColumns) -> Bool {
    left.properties == right.properties && left.prefixes == right.prefixes
      && left.key?.column == right.key?.column && left.key?.prefix == right.key?.prefix
  }

  /// Hashes the names of the properties.
  public func hash(into hasher: inout Hasher) { hasher.combine(properties) }
}
