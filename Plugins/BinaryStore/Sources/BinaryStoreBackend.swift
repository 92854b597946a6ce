import BlockFileFormat
public import DurableFiles
public import ObjectModel
public import StoreInterface

/// The backend of block files, either plain or compressed.
public struct BinaryStoreBackend: StoreBackend {
  /// Whether the backend creates and recognizes compressed stores instead of plain ones.
  public let isCompressed: Bool
  /// The options of its stores.
  public let options: BinaryStoreOptions

  /// Creates the backend of plain block files, or of compressed ones.
  public init(isCompressed: Bool = false, options: BinaryStoreOptions = BinaryStoreOptions()) {
    self.isCompressed = isCompressed
    self.options = options
  }

  /// The type of its stores: the block file, plain or compressed.
  public var type: StoreType { isCompressed ? .compressed : .binary }
  /// The capabilities of its stores.
  public var capabilities: StoreCapabilities { BinaryStore.capabilities }

  /// Returns whether the bytes are the beginning of a block file of this backend's kind. The header shows whether a
  /// file is compressed (spec §4.2.1).
  public func recognizes(_ firstBytes: [UInt8]) -> Bool {
    guard BinaryStore.recognizes(firstBytes) else { return false }
    // The plain backend takes a header that is cut off, and reports the fault.
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

  /// `true`: for a small store, the first bytes of the file are most of the bytes to read.
  public var takesOpenedFile: Bool { true }

  /// Opens a store, in constant time.
  public func open(
    _ path: String, on disk: any Disk, _ opening: StoreOpening
  ) throws -> any Store {
    let store = try BinaryStore.open(path, on: disk, opening, options: options)
    if opening.model != nil { try opening.check(store.knownSnapshot().metadata, path: path) }
    return store
  }

  /// Removes the tail of the file: the copy has it from the original, to which a program was saving.
  public func completeCopy(at path: String, on disk: any Disk) throws {
    let file = try disk.open(path, for: .update)
    defer { try? file.close() }
    guard let complete = CompleteFile(file) else { return }
    try file.write(complete.header, at: 0)
    try file.truncate(to: complete.byteCount)
    try file.sync()
  }

  /// Returns the metadata of a store.
  public func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
    try BinaryStore.metadata(at: path, on: disk)
  }
}
