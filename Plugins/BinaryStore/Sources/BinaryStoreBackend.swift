public import DurableFiles
public import ObjectModel
public import StoreInterface

/// Block files, plain or compressed, behind the interface of all backends.
public struct BinaryStoreBackend: StoreBackend {
  /// Whether the stores it makes are compressed, and those it knows.
  public let isCompressed: Bool
  /// How its stores behave.
  public let options: BinaryStoreOptions

  /// The backend of plain block files, or of compressed ones.
  public init(isCompressed: Bool = false, options: BinaryStoreOptions = BinaryStoreOptions()) {
    self.isCompressed = isCompressed
    self.options = options
  }

  /// The block file, plain or compressed.
  public var type: StoreType { isCompressed ? .compressed : .binary }
  /// What its stores can do.
  public var capabilities: StoreCapabilities { BinaryStore.capabilities }

  /// Whether the bytes are the beginning of a block file that is compressed, or not, as its header
  /// says (spec §4.2.1).
  public func recognizes(_ firstBytes: [UInt8]) -> Bool {
    guard BinaryStore.recognizes(firstBytes) else { return false }
    // Of a header that is cut off the plain backend says what is wrong.
    let flag = firstBytes.count > 12 && firstBytes[12] & 1 != 0
    return flag == isCompressed
  }

  /// Creates a store without objects.
  public func create(
    at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
  ) throws -> any Store {
    try BinaryStore.create(
      at: path, model: model, uuid: creation.uuid, isCompressed: isCompressed, on: disk,
      overwriting: creation.overwriting, schema: creation.schema, options: options)
  }

  /// Yes: of a small store the beginning is most of what is read.
  public var takesOpenedFile: Bool { true }

  /// Opens a store, in constant time.
  public func open(
    _ path: String, on disk: any Disk, _ opening: StoreOpening
  ) throws -> any Store {
    let store = try BinaryStore.open(path, on: disk, opening, options: options)
    if opening.model != nil { try opening.check(store.knownSnapshot().metadata, path: path) }
    return store
  }

  /// What a store says of itself.
  public func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
    try BinaryStore.metadata(at: path, on: disk)
  }
}
