/// The settings of a context that a program makes.
struct ContextSettings {
  /// The name of the context in messages, notifications and the history.
  var name: String?
  /// The author of the changes in the history.
  var transactionAuthor: String?
  /// The rule that decides conflicts with saves of other contexts.
  var mergePolicy: MergePolicy = .error
  /// Asked between two blocks of a search. The search ends with `CancellationError` when the answer is no.
  var mayGoOnSearching: (@Sendable () -> Bool)?
  /// Whether unchanged objects stay in memory that only the context holds.
  var retainsRegisteredObjects = false
  /// Whether a save skips validation, because the caller validates all objects at the end.
  var defersValidation = false
}
