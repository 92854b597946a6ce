public import Foundation
public import ObjectModel

/// The result of a check of a store by its backend (``StoreBackend/check(_:on:model:progress:)``).
public struct StoreCheck {
  /// Whether the backend could check the store.
  public enum Outcome: String, Sendable, Hashable {
    /// The backend has checked the store, as far as the errors allowed.
    case checked
    /// The file is not a store of the backend's type.
    case unknownFormat
    /// The store has a newer version of its format.
    case newerFormat
  }

  /// Whether the backend could check the store.
  public var outcome = Outcome.checked
  public var findings = Findings()
  /// The size of the store in bytes.
  public var byteCount = 0
  /// The number of bytes in use.
  public var liveByteCount = 0
  /// The number of checked rows.
  public var rowCount = 0
  /// The parts that were skipped, in sentences.
  public var passedOver: [String] = []
  /// The parts that could not be checked, in sentences. The store is not valid then.
  public var unchecked: [String] = []
  /// The UUID of the store; `nil` if it can't be read.
  public var uuid: UUID?
  /// The model of the store's objects; `nil` for the model that the opened store has.
  public var model: Model?
  /// Whether the backend can open the store and read all rows, so that the validator can check the objects.
  public var hasReadableObjects = false
  /// Whether the store does not contain its model, so that it opens only with a given model.
  public var needsModel = false

  /// Creates a result without findings.
  public init() {}
}
