import Documents
public import Foundation

/// A version that replicas exchange, by the identity that it has on each of them (spec §7.7.9).
public struct SharedVersion: Sendable, Hashable {
  public let identity: String
  /// The identities of the versions from which it derives: the version before it, and the versions that were merged into it.
  public let parents: [String]
  /// The name of the head that it is a version of.
  public let head: String
  /// The date at which the version was saved, by the clock of the device that saved it.
  public let saved: Date
  public let author: String?
  /// The author's message about the version, or `nil`.
  public let message: String?

  /// Returns the version with further parents.
  func deriving(from more: [String]) -> SharedVersion {
    let new = Set(more).subtracting(parents).subtracting([identity])
    return SharedVersion(
      identity: identity, parents: parents + new.sorted(), head: head, saved: saved, author: author,
      message: message)
  }

  /// The order in which replicas that know the same versions go through them. Clocks only give it a sense for people.
  static func precedes(_ one: SharedVersion, _ other: SharedVersion) -> Bool {
    (one.saved, one.identity) < (other.saved, other.identity)
  }
}

extension SharedVersion {
  /// Describes a version of a document as replicas see it.
  init(_ version: Manifest.VersionEntry, of head: String, identity: String, parents: [String]) {
    self.init(
      identity: identity, parents: parents, head: head, saved: version.saved,
      author: version.author, message: version.message)
  }
}
