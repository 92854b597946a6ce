import Checksums
import ModelNotations
import ObjectModel

/// A model of versions that replicas exchange, with a digest by which replicas recognize it.
struct SharedModel: Sendable, Hashable {
  let model: Model
  /// The digest of the model as text. Version hashes would not do: they leave out rules and default values.
  let digest: String

  init(_ model: Model) throws {
    self.model = model
    digest = SHA256.digest(of: try ModelSource.write(model)).description
  }

  static func == (one: SharedModel, other: SharedModel) -> Bool { one.digest == other.digest }

  func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
