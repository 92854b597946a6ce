/// A version of a document, and a head that has it.
public struct FoundVersion: Sendable, Hashable {
  /// The name of the head.
  public let head: String
  /// The number of the version.
  public let number: Int64
}
