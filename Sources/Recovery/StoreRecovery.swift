import BlockFileFormat
public import DurableFiles
public import ObjectModel
import Rows
public import StoreInterface
import XMLStore

/// Gets all that can be read out of a damaged store's file into a new store.
///
///     let recovery = try StoreRecovery(of: "Trips.store", on: disk)
///     let report = try recovery.copy(to: store)
///
/// Of a block file every block counts that matches its checksums: those of the last commit whose record can be
/// read, what lies behind it, and older blocks in the place of ones that can't be read. Of an XML document
/// everything up to the first damage counts.
///
/// What is promised: an object of which nothing lay in the damaged bytes is there as the last commit left it. Any
/// other that is there has values that it had once. What led to an object that is lost leads nowhere, and what
/// can't be without it is left out, so that the result is valid if the store was.
///
/// Takes any bytes, in time and memory proportional to their number.
public struct StoreRecovery {
  /// What can be read.
  public let snapshot: any StoreSnapshot
  private var report: RecoveryReport
  private let mending: Mending

  /// Reads what can be read of a file. Nothing is written.
  ///
  /// - Parameters:
  ///   - model: The model, for a file that has lost its own.
  ///   - keepsInvalid: Whether objects stay that lack what they must have.
  /// - Throws: ``RecoveryError`` when nothing can be got out of the file, or `DiskError`.
  public init(
    of path: String, on disk: any Disk, model: Model? = nil, keepsInvalid: Bool = false,
    progress: (Double) -> Void = { _ in }
  ) throws {
    let file = try disk.open(path, for: .read)
    let start = try StoreBackends.firstBytes(of: path, on: disk)
    var found: RecoveredContents
    if XMLStoreBackend().recognizes(start), !start.starts(with: BlockFile.magic) {
      found = try RecoveredContents(document: file, model: model)
    } else {
      found = try BlockFileRecovery(file, model: model, progress: progress).run()
    }
    var mending = Mending(found, keepsInvalid: keepsInvalid)
    found.layers.append(try mending.run())
    report = found.report
    report.cutCounts = mending.cutCounts
    report.droppedCounts = mending.droppedCounts
    self.mending = mending
    let snapshot = RecoveredSnapshot(found)
    for layout in snapshot.schema.layouts {
      let count = try snapshot.view.keys(ofEntity: layout.entityNumber).count
      if count > 0 { report.objectCounts[layout.entity] = count }
    }
    self.snapshot = snapshot
  }

  /// What the new store should be: of the same identity, where the file still says it, and with the same numbers,
  /// so that identifiers of objects go on to be theirs.
  public var creation: StoreCreation {
    var creation = StoreCreation(overwriting: true, schema: snapshot.schema)
    if let uuid = try? snapshot.metadata.uuid { creation.uuid = uuid }
    return creation
  }

  /// Puts everything into a store that was made as ``creation`` says and has no objects yet.
  ///
  /// - Throws: `StoreError`; what `progress` throws. Throw the store away then.
  public func copy(
    to store: any Store, _ progress: (StoreCopy.Progress) throws -> Void = { _ in }
  ) throws -> RecoveryReport {
    // An XML document counts all its objects as one.
    let copy = StoreCopy(
      from: snapshot, to: store, nil, keepingKeys: store.capabilities.contains(.incremental))
    try copy.run(progress)
    return report
  }
}

/// What was read of a file, as layers.
struct RecoveredContents {
  var model: Model
  var schema: Schema
  var metadata: StoreMetadata
  var layers: [Layer]
  var report: RecoveryReport
  /// Objects of which a value could not be read.
  var incomplete: Set<ObjectKey> = []
  /// Whether some objects may be older than others.
  var isMixed = false

  var view: View { View(layers) }
}

/// What was read, as a store shows it.
struct RecoveredSnapshot: StoreSnapshot {
  let commit: Int64
  let model: Model
  let schema: Schema
  let metadata: StoreMetadata
  let tables: [any RowTable]

  init(_ contents: RecoveredContents) {
    commit = contents.report.commit ?? 0
    model = contents.model
    schema = contents.schema
    metadata = contents.metadata
    tables = contents.layers
  }
}

extension RecoveredContents {
  /// An XML document up to the first damage.
  init(document file: DurableFile, model: Model?) throws {
    let salvage: XMLStoreSalvage
    do { salvage = try XMLStoreSalvage(file, model: model) } catch let error as StoreError {
      throw RecoveryError(
        "Nothing can be read: \(error.message)", lacksModel: error.code == .incompatibleModel)
    }
    var report = RecoveryReport()
    report.byteCount = try file.byteCount()
    report.commit = 1
    report.isNewest = true
    if let fault = salvage.fault {
      let start = min(salvage.soundByteCount, report.byteCount)
      if start < report.byteCount {
        report.unreadRanges = [start..<report.byteCount]
        report.unreadByteCount = report.byteCount - start
      }
      report.isNewest = false
      report.notes.append("The document was read up to its first damage: \(fault)")
    }
    self.init(
      model: salvage.contents.model, schema: salvage.contents.schema,
      metadata: salvage.contents.metadata, layers: salvage.contents.layers, report: report)
    isMixed = salvage.fault != nil
    if salvage.lostReferenceCount > 0 {
      self.report.notes.append(
        "\(salvage.lostReferenceCount) references led to objects behind the damage.")
    }
  }
}
