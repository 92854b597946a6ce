package import Foundation

/// The versions that a save takes in: of further heads of the document, and of further replicas.
package struct TakenVersions: Sendable, Hashable {
  /// The numbers of versions of other heads, in ascending order.
  package let merged: [Int64]
  /// The identities of versions of other replicas, in ascending order.
  package let received: [String]
  /// The date of the new version; `nil` for the present. Two replicas that make one version of the same parents give it the same
  /// date, so that it has one identity.
  package let saved: Date?

  package init(merged: [Int64] = [], received: [String] = [], saved: Date? = nil) {
    self.merged = Set(merged).sorted()
    self.received = Set(received).sorted()
    self.saved = saved
  }

  /// Whether a save makes an ordinary version.
  package var isEmpty: Bool { self == TakenVersions() }
}
