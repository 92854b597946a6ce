import BlockFileFormat
package import DurableFiles
package import ObjectModel
import Rows
package import StoreInterface
import XMLStore

/// Recovers all readable objects of a damaged store's file into a new store.
///
///     let recovery = try StoreRecovery(of: "Trips.store", on: disk)
///     let report = try recovery.copy(to: store)
///
/// From a block file, every block that matches its checksums is recovered. The blocks of the last commit whose
/// record can be read come first, then the blocks behind that commit. Older blocks stand in for blocks that can't
/// be read. From an XML document, everything up to the first damage is recovered.
///
/// An object without any data in the damaged bytes is recovered as the last commit left it. The remaining
/// objects have values that they had at some time. References to lost objects are removed, and objects that
/// can't exist without a lost object are left out. So the result is valid if the store was valid.
///
/// Accepts any bytes, in time and memory proportional to their number.
package struct StoreRecovery {
  package let snapshot: any StoreSnapshot
  private var report: RecoveryReport
  private let mending: Mending

  /// Reads the recoverable contents of a file. Writes nothing.
  ///
  /// - Parameters:
  ///   - model: The model, for a file that has lost its own.
  ///   - keepsInvalid: Whether objects without required values are kept.
  /// - Throws: ``RecoveryError`` if nothing can be recovered, or `DiskError`.
  package init(
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

  /// The options for the new store: the UUID of the damaged one, if the file still contains it, and the same
  /// schema. With the same numbers in the schema, the identifiers of objects stay the same.
  package var creation: StoreCreation {
    var creation = StoreCreation(overwriting: true, schema: snapshot.schema)
    if let uuid = try? snapshot.metadata.uuid { creation.uuid = uuid }
    return creation
  }

  /// Copies all recovered objects into an empty store that was made with ``creation``.
  ///
  /// - Throws: `StoreError`; any error that `progress` throws. The caller discards the store then.
  package func copy(
    to store: any Store, _ progress: (StoreCopy.Progress) throws -> Void = { _ in }
  ) throws -> RecoveryReport {
    // The damaged file may have lost objects whose numbers other copies remember, so new objects get numbers of a new lane.
    var lanes = try snapshot.metadata.lanes
    if store.type.recordsLanes { lanes.draw() }
    // An XML document numbers the objects of all entities in one sequence, so it can't keep keys.
    let copy = StoreCopy(
      from: snapshot, to: store, nil, keepingKeys: store.features.isIncremental,
      lanes: lanes)
    try copy.run(progress)
    return report
  }
}

/// The recovered contents of a file, as layers.
struct RecoveredContents {
  var model: Model
  var schema: Schema
  var metadata: StoreMetadata
  var layers: [Layer]
  var report: RecoveryReport
  /// Objects of which a value could not be read.
  var incomplete: Set<ObjectKey> = []
  /// Whether the objects may be of different ages.
  var isMixed = false

  var view: View { View(layers) }
}

/// The snapshot of the recovered contents.
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
  /// Reads an XML document up to the first damage.
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
        "\(salvage.lostReferenceCount) references to objects after the damage are lost.")
    }
  }
}
