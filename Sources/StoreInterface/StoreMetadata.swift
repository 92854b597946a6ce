public import Foundation
public import ObjectModel
public import PropertyLists

/// The metadata of a store, readable without a model.
///
/// The names are the names that Core Data uses, so metadata can be copied between stores unchanged.
public struct StoreMetadata: Sendable, Hashable {
  public var values: [String: PropertyList]

  /// The names that this library uses.
  public enum Key {
    /// The store's UUID, as text.
    public static let uuid = "NSStoreUUID"
    /// The name of the store's type.
    public static let type = "NSStoreType"
    /// The version hash of each entity of the model the store was written with.
    public static let versionHashes = "NSStoreModelVersionHashes"
    /// The author's identifiers of the version of the model.
    public static let versionIdentifiers = "NSStoreModelVersionIdentifiers"
    /// One digest of all version hashes.
    public static let versionHashesDigest = "NSStoreModelVersionHashesDigest"
    /// The names of commits that the store keeps, by the commits' numbers as text.
    public static let namedCommits = "QuireNamedCommits"
    /// The message of the commit that wrote the metadata, by the commit's number as text.
    public static let commitMessage = "QuireCommitMessage"
    /// The version before the commit that wrote the metadata, by the commit's number as text. Only a commit that is a
    /// version of its document on its own has this value.
    public static let versionBefore = "QuireVersionBefore"
    /// The UUID of the document that the store is a part of, as text, if the store lies on a server.
    public static let document = "QuireDocument"
    /// The replicas of the lanes of object numbers, by the lanes' starts as text.
    package static let lanes = "QuireLanes"
    /// The start of the lane in which the file counts, as text; missing for the first lane.
    package static let lane = "QuireLane"
    /// The place on the disk at which the file of an atomic store was written, as text.
    package static let place = "QuirePlace"
    /// Sentences about a model that was inferred from the tables of another program.
    package static let modelNotes = "QuireModelNotes"
    /// A number that a store on a server contains until a copy into it is complete.
    public static let unfinishedCopy = "QuireUnfinishedCopy"
  }

  /// Creates the metadata of a new store of the given type and model.
  public init(uuid: UUID = UUID(), type: StoreType, model: Model) {
    values = [
      Key.uuid: .string(uuid.uuidString), Key.type: .string(type.rawValue),
    ]
    setModel(model)
  }

  /// Creates metadata from values that were read.
  public init(values: [String: PropertyList]) { self.values = values }

  /// The store's UUID; `nil` if it is missing or can't be read.
  public var uuid: UUID? { values[Key.uuid]?.string.flatMap(UUID.init(spelled:)) }

  public var type: StoreType? { values[Key.type]?.string.map(StoreType.init(rawValue:)) }

  /// The version hash of each entity; `nil` if they are missing, or if a hash is not 32 bytes long.
  public var versionHashes: [String: VersionHash]? {
    guard case .dictionary(let entries)? = values[Key.versionHashes] else { return nil }
    var hashes: [String: VersionHash] = [:]
    hashes.reserveCapacity(entries.count)
    for (name, value) in entries {
      guard case .data(let bytes) = value, let hash = VersionHash(bytes: bytes) else { return nil }
      hashes[name] = hash
    }
    return hashes
  }

  /// The author's identifiers of the version of the model.
  public var versionIdentifiers: [String] {
    guard case .array(let texts)? = values[Key.versionIdentifiers] else { return [] }
    return texts.compactMap(\.string)
  }

  /// The UUID of the document that the store is a part of, if the store lies on a server; `nil` for any other store.
  public var document: UUID? {
    get { values[Key.document]?.string.flatMap(UUID.init(spelled:)) }
    set { values[Key.document] = newValue.map { .string($0.uuidString) } }
  }

  /// Whether the store is the target of a copy that is not complete. Such a store does not open.
  package var isUnfinishedCopy: Bool {
    get { values[Key.unfinishedCopy] != nil }
    set { values[Key.unfinishedCopy] = newValue ? .integer(1) : nil }
  }

  /// Sentences about what an inferred model leaves out, or could have inferred differently; empty for any other model.
  package var modelNotes: [String] {
    get {
      guard case .array(let texts)? = values[Key.modelNotes] else { return [] }
      return texts.compactMap(\.string)
    }
    set { values[Key.modelNotes] = newValue.isEmpty ? nil : .array(newValue.map { .string($0) }) }
  }

  /// The names of commits, by number. The store keeps a named commit until its name is removed.
  public var namedCommits: [Int64: String] {
    get { texts(Key.namedCommits) }
    set { setTexts(newValue, Key.namedCommits) }
  }

  /// The message of the commit that wrote the metadata, by the commit's number. Metadata that a later commit has kept
  /// unchanged contain the number of the earlier commit.
  public var commitMessage: [Int64: String] {
    get { texts(Key.commitMessage) }
    set { setTexts(newValue, Key.commitMessage) }
  }

  /// Returns the number of the version before a commit that is a version of its document on its own (spec §7.4.11), or
  /// `nil` if the metadata do not contain it.
  package func versionBefore(commit number: Int64) -> Int64? {
    guard case .dictionary(let entries)? = values[Key.versionBefore],
      case .integer(let before)? = entries["\(number)"]
    else { return nil }
    return before
  }

  /// Sets the number of the version before a commit, and drops the numbers of other commits.
  package mutating func setVersionBefore(_ before: Int64?, commit number: Int64) {
    values[Key.versionBefore] = before.map { .dictionary(["\(number)": .integer($0)]) }
  }

  private func texts(_ key: String) -> [Int64: String] {
    guard case .dictionary(let entries)? = values[key] else { return [:] }
    var texts: [Int64: String] = [:]
    for (number, text) in entries {
      if let number = Int64(number), let text = text.string { texts[number] = text }
    }
    return texts
  }

  private mutating func setTexts(_ texts: [Int64: String], _ key: String) {
    values[key] =
      texts.isEmpty
      ? nil
      : .dictionary(Dictionary(uniqueKeysWithValues: texts.map { ("\($0)", .string($1)) }))
  }

  /// Records the version hashes and identifiers of the model that the store is written with from now on.
  public mutating func setModel(_ model: Model) {
    let hashes = model.versionHashes
    values[Key.versionHashes] = .dictionary(hashes.mapValues { .data(Data($0.bytes)) })
    values[Key.versionHashesDigest] = .string(Model.versionHashesDigest(of: hashes))
    values[Key.versionIdentifiers] = .array(
      model.description.versionIdentifiers.map { .string($0) })
  }
}
