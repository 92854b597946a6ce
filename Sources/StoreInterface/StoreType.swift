/// A kind of store, by its name.
///
/// Names are written into documents, so they stay. Whoever brings a backend of their own brings its
/// type too:
///
///     extension StoreType { static let ledger = StoreType(rawValue: "Ledger") }
public struct StoreType: RawRepresentable, Sendable, Hashable {
  /// The type's name.
  public let rawValue: String
  /// The type of the given name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// In memory, and gone with it.
  public static let memory = StoreType(rawValue: "InMemory")
  /// The block file.
  public static let binary = StoreType(rawValue: "Binary")
  /// The block file, its blocks compressed.
  public static let compressed = StoreType(rawValue: "CompressedBinary")
  /// The XML file, in the grammar of Core Data's.
  public static let xml = StoreType(rawValue: "XML")
}

/// What a kind of store can do by itself. What it can't, those above do on blocks.
public struct StoreCapabilities: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt32
  /// The capabilities with the given bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Commits write what changed and not everything.
  public static let incremental = StoreCapabilities(rawValue: 1 << 0)
  /// Commits survive the end of the process.
  public static let durable = StoreCapabilities(rawValue: 1 << 1)
  /// Other processes may write the same store, and what they write is noticed.
  public static let shared = StoreCapabilities(rawValue: 1 << 2)
  /// Earlier commits can be opened.
  public static let history = StoreCapabilities(rawValue: 1 << 3)
  /// The store answers predicates and sort keys itself.
  public static let querying = StoreCapabilities(rawValue: 1 << 4)
  /// Commits can wait for somebody's word that they count, so that several stores commit as one.
  public static let confirmation = StoreCapabilities(rawValue: 1 << 5)
}
