/// A predicate that the value of a property must meet, with the message of the failure.
///
///     ValidationPredicate("SELF BEGINSWITH \"https:\"", message: "Only secure addresses are allowed.")
///
/// It is a pair of Core Data's `validationPredicates` and `validationWarnings`. It is checked when an object
/// is saved, imported or validated. A value that is absent meets every predicate. Not part of the version hash.
public struct ValidationPredicate: Sendable, Hashable {
  /// The predicate in text form, in which `SELF` is the value: of a relationship to many the objects.
  public var predicate: String
  /// The sentence that a failure shows; `nil` for one that names the predicate.
  public var message: String?
  /// The error number of a failure, if the model gives one in place of a message.
  public var code: Int?

  /// A predicate in text form, with the message or the number of its failure.
  public init(_ predicate: String, message: String? = nil, code: Int? = nil) {
    self.predicate = predicate
    self.message = message
    self.code = code
  }
}

extension [ValidationPredicate] {
  /// The predicates in words, for the comparison of models.
  var inWords: String {
    isEmpty
      ? "none"
      : map { one in
        "\"\(one.predicate)\""
          + (one.message.map { ": \"\($0)\"" } ?? one.code.map { ": error \($0)" } ?? "")
      }.joined(separator: ", ")
  }
}
