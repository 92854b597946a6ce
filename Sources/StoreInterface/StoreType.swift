/// A kind of store, by its name.
///
/// Names are written into documents, so they must not change. A backend of your own declares its own type:
///
///     extension StoreType { static let ledger = StoreType(rawValue: "Ledger") }
public struct StoreType: RawRepresentable, Sendable, Hashable {
  public let rawValue: String
  /// Creates the type of the given name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A store in memory, which ends with its process.
  public static let memory = StoreType(rawValue: "InMemory")
  public static let binary = StoreType(rawValue: "Binary")
  /// A block file with compressed blocks.
  public static let compressed = StoreType(rawValue: "CompressedBinary")
  /// An XML file in the grammar of Core Data's XML stores.
  public static let xml = StoreType(rawValue: "XML")
}

/// The capabilities of a kind of store. For a missing capability, the layers above work on blocks instead.
public struct StoreCapabilities: OptionSet, Sendable, Hashable {
  public let rawValue: UInt32
  /// Creates capabilities from the given bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Commits write only the changes, and not the whole store.
  public static let incremental = StoreCapabilities(rawValue: 1 << 0)
  /// Commits survive the end of the process.
  public static let durable = StoreCapabilities(rawValue: 1 << 1)
  /// Several processes may write the same store, and the store detects their commits.
  public static let shared = StoreCapabilities(rawValue: 1 << 2)
  /// Earlier commits can be opened.
  public static let history = StoreCapabilities(rawValue: 1 << 3)
  /// The store answers predicates and sort keys itself.
  public static let querying = StoreCapabilities(rawValue: 1 << 4)
  /// Commits can wait for a confirmation that they count, so that several stores commit as one.
  public static let confirmation = StoreCapabilities(rawValue: 1 << 5)
}
