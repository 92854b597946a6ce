/// The settings of a context. The program sets them.
struct ContextSettings: Sendable {
  /// Values that the program keeps with the context.
  var userInfo: [String: any Sendable] = [:]
  /// The name of the context in messages, notifications and the history.
  var name: String?
  /// The author of the changes in the history.
  var transactionAuthor: String?
  /// The author's message about the changes in the history.
  var transactionMessage: String?
  /// The rule that decides conflicts with saves of other contexts.
  var mergePolicy: MergePolicy = .error
  /// A function that a search calls between two blocks. If it returns `false`, the search throws `CancellationError`.
  var mayGoOnSearching: (@Sendable () -> Bool)?
  /// Whether unchanged objects stay registered although the program does not hold them.
  var retainsRegisteredObjects = false
  /// Whether a save skips validation, because the caller validates all objects at the end.
  var defersValidation = false
  /// The stores that the program has chosen for new objects, by entity.
  var storesForNewObjects: [String: PersistentStore] = [:]
}
