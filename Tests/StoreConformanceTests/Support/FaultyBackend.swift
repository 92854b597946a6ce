import BinaryStore
import DurableFiles
import Foundation
import ObjectModel
import StoreInterface

/// The backend of block files with at most one fault.
struct FaultyBackend: StoreBackend {
  private let plain = BinaryStoreBackend()
  let fault: Fault?
  private let memory = ProcessMemory()

  init(_ fault: Fault?) { self.fault = fault }

  var type: StoreType { plain.type }
  var capabilities: StoreCapabilities { plain.capabilities.union(.querying) }

  func recognizes(_ firstBytes: [UInt8]) -> Bool {
    fault != .recognizesNothing && plain.recognizes(firstBytes)
  }

  /// Returns the disk that a store uses.
  private func shown(_ disk: any Disk) -> any Disk {
    switch fault {
    case .neverSyncs?, .syncsNoFolders?, .syncsEverySecondTime?: LazyDisk(disk, fault!)
    default: disk
    }
  }

  private func isBlockFile(_ path: String, on disk: any Disk) throws -> Bool {
    plain.recognizes(try disk.read(path, byteLimit: 1 << 30))
  }

  func create(
    at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
  ) throws -> any Store {
    var creation = creation
    switch fault {
    case .replacesUnasked: creation.overwriting = true
    case .overwritesForeignFiles:
      if try disk.exists(path), try !isBlockFile(path, on: disk) { creation.overwriting = true }
    case .neverReplaces: creation.overwriting = false
    case .keepsReplacedObjects where creation.overwriting:
      return try open(path, on: disk, StoreOpening())
    case .ignoresTheUUID: creation.uuid = UUID()
    default: break
    }
    return FaultyStore(
      try plain.create(at: path, model: model, on: shown(disk), creation), fault,
      shared: ProcessMemory.Place(path, on: disk).map { (memory, $0) })
  }

  func open(_ path: String, on disk: any Disk, _ opening: StoreOpening) throws -> any Store {
    var opening = opening
    switch fault {
    case .writesReadOnly: opening.readOnly = false
    case .opensTheNewest where opening.commit != nil:
      let store = try plain.open(path, on: disk, StoreOpening(readOnly: true))
      opening.commit = try store.snapshot().commit
      try store.close()
    case .forgetsOnOpening:
      let old = try plain.open(path, on: disk, opening)
      let model = try old.snapshot().model
      try old.close()
      return try plain.create(at: path, model: model, on: disk, StoreCreation(overwriting: true))
    default: break
    }
    if fault == .leavesFilesAfterReading, opening.readOnly {
      try disk.open(path + "-journal", for: .create).close()
    }
    do {
      return FaultyStore(
        try plain.open(path, on: shown(disk), opening), fault, isReadOnly: opening.readOnly,
        isReopened: true, shared: ProcessMemory.Place(path, on: disk).map { (memory, $0) }
      ) { [plain] in try plain.open(path, on: disk, StoreOpening(readOnly: true)).snapshot() }
    } catch let error as StoreError {
      switch (fault, error.code) {
      case (.makesMissingStores, .notFound) where try !disk.exists(path),
        (.takesForeignFiles, .notAStore) where try !isBlockFile(path, on: disk),
        (.takesForeignFiles, .damaged) where try !isBlockFile(path, on: disk),
        (.opensCutFilesEmpty, .notAStore) where try isBlockFile(path, on: disk),
        (.opensCutFilesEmpty, .damaged) where try isBlockFile(path, on: disk):
        let model = try Model(entities: [])
        return try plain.create(at: path, model: model, on: disk, StoreCreation(overwriting: true))
      case (.refusesMissingStoresWithAnotherCode, .notFound),
        (.refusesForeignFilesWithAnotherCode, .notAStore),
        (.refusesForeignFilesWithAnotherCode, .damaged):
        throw StoreError(.failed, "It did not work.", path: path)
      case (.opensLostCommits, .notFound) where try disk.exists(path),
        (.opensLostCommits, .damaged) where try disk.exists(path):
        return FaultyStore(try plain.open(path, on: disk, StoreOpening()), fault)
      default: throw error
      }
    }
  }

  func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
    switch fault {
    case .tellsMetadataOfMissingStores where try !disk.exists(path):
      return StoreMetadata(values: [:])
    case .tellsOldMetadata:
      let store = try plain.open(path, on: disk, StoreOpening(readOnly: true))
      defer { try? store.close() }
      return try store.snapshot(ofCommit: store.commits().last!.number).metadata
    case .losesClosedMetadata:
      var metadata = try plain.metadata(at: path, on: disk)
      metadata.values["NSStoreModelVersionHashes"] = nil
      return metadata
    default: return try plain.metadata(at: path, on: disk)
    }
  }
}
