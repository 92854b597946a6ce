public import Foundation

/// The summary of one commit, as ``Store/commits()`` lists it.
public struct CommitSummary: Sendable, Hashable {
  public var number: Int64
  /// The time of the commit.
  public var time: Date
  /// The author of the commit; `nil` if the request did not name one.
  public var author: String?
  /// The name of the context that made the commit; `nil` if the context is unnamed.
  public var contextName: String?
  /// The author's message about the changes; `nil` if the request did not contain one, or if the store does
  /// not keep messages.
  public var message: String?

  /// Creates a summary of a commit.
  public init(
    number: Int64, time: Date, author: String? = nil, contextName: String? = nil,
    message: String? = nil
  ) {
    self.number = number
    self.time = time
    self.author = author
    self.contextName = contextName
    self.message = message
  }
}
