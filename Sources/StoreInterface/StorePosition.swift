/// The file of a store and the commit that counts, as a document's manifest records them for each of its stores.
public struct StorePosition: Sendable, Hashable {
  public var path: String
  public var commit: Int64

  /// Creates a position from a file and a commit.
  public init(path: String, commit: Int64) {
    self.path = path
    self.commit = commit
  }
}
