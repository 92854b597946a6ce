package import ObjectModel

/// Types and unique columns that the caller has chosen, so that they are not inferred.
package struct InferenceChoices: Sendable {
  /// The types of columns, by the names of the columns or of the properties, alone or after the entity and a point.
  package var types: [String: AttributeType] = [:]
  /// The names in ``types`` of columns of days.
  package var days: Set<String> = []
  /// The names of the unique columns; `nil` to infer them.
  package var unique: Set<String>?

  /// Creates choices that leave everything to the inference.
  package init() {}
}
