import DurableFiles
import ModelNotations
package import ObjectModel

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
/// - Dates without times are days, and numbers that are all written with the same number of decimal places keep it.
/// - A column is unique if all its values differ, and it has a name such as `id`, `code` or `email`, or other columns refer to
///   it.
/// - A column whose name refers to another file, such as `trip` or `trip_id` beside `trips.csv`, is a relationship if each
///   of its values occurs in a unique column of that file. The other file gets the inverse.
/// - A column of long texts gets an index of words.
/// - In files of `quire export`, identifiers such as `4/p1` lead to the objects with these identifiers.
///
/// The files are read twice at most, in memory for the unique columns alone.
package struct InferredModel {
  package let model: Model
  /// The files, with the meaning of their columns.
  package let files: [ImportFile]
  /// Sentences about columns that could have been inferred differently.
  package let notes: [String]

  /// Infers a model from files.
  ///
  /// - Parameters:
  ///   - choices: The types and unique columns that are given instead of inferred.
  ///   - progress: Called repeatedly with the fraction of the work that is done. If it throws, the work ends.
  /// - Throws: ``ImportError`` for text that is unreadable, and for a choice about a column that no file has; ``ModelError``
  ///   if the names of columns make no model.
  package init(
    from files: [ImportFile], _ choices: InferenceChoices = InferenceChoices(),
    progress: (Double) throws -> Void = { _ in }
  ) throws {
    let files = files.map { file in
      var file = file
      file.renamesColumns = true
      return file
    }
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
    try FileSurvey.apply(choices, to: &surveys)
    var references = References(surveys)
    try references.check(files) { try progress(0.5 + $0 / 2) }
    var builder = InferredEntities(surveys, references.found, choices)
    model = try Model(builder.description())
    self.files = zip(files, surveys.indices).map { file, index in
      var file = file
      var columns = builder.columns(of: index)[...]
      file.columns = surveys[index].columnNames.map {
        $0 == FieldName.none ? ImportColumn(property: $0) : columns.removeFirst()
      }
      file.entity = surveys[index].entity
      return file
    }
    let indexed = model.entities.flatMap { entity in
      entity.fetchIndexes.flatMap(\.wordedTexts).map { (entity.name, $0) }
    }
    notes =
      references.notes
      + surveys.flatMap { survey in survey.columns.flatMap { $0.notes(of: survey.entity) } }
      + indexed.map { entity, name in InferredText.note(aboutWordsOf: name, of: entity) }
  }
}

/// The meaning of a column of a file whose first line does not contain names of properties.
struct ImportColumn {
  /// The name of the property; the entity or the identifier for the columns `@entity` and `@id`.
  var property: String
  /// The text before each value, if the column is a relationship. Objects of several entities may have the same keys, and
  /// the text distinguishes the keys.
  var prefix = ""
  /// The text before the key of the object, if other objects refer to the object by this column; otherwise `nil`.
  var keyPrefix: String?
  /// Whether a value such as `4/p1` is an identifier, so that it gets no prefix.
  var mayBeIdentifier = false
}
