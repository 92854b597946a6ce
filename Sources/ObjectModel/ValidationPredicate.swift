/// A predicate that the value of a property must meet, with the message of the failure.
///
///     ValidationPredicate("SELF BEGINSWITH \"https:\"", message: "Only secure addresses are allowed.")
///
/// A validation predicate corresponds to an element of Core Data's `validationPredicates` and its
/// `validationWarnings`. It is checked when an object is saved, imported or validated. A missing value meets every
/// predicate. The predicate is not part of the version hash.
public struct ValidationPredicate: Sendable, Hashable {
  /// The predicate in text form. `SELF` is the value; for a to-many relationship, `SELF` is the objects.
  public var predicate: String
  /// The message of a failure; `nil` for a message that contains the predicate.
  public var message: String?
  /// The error number of a failure, if the model has a number instead of a message.
  public var code: Int?

  /// Creates a predicate in text form, with the message or the number of its failure.
  public init(_ predicate: String, message: String? = nil, code: Int? = nil) {
    self.predicate = predicate
    self.message = message
    self.code = code
  }
}

extension [ValidationPredicate] {
  /// The predicates in words, for comparing models.
  var inWords: String {
    isEmpty
      ? "none"
      : map { one in
        "\"\(one.predicate)\""
          + (one.message.map { ": \"\($0)\"" } ?? one.code.map { ": error \($0)" } ?? "")
      }.joined(separator: ", ")
  }
}
