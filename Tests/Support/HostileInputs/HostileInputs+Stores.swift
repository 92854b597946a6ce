import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import PropertyLists
import Recovery
import Rows
import StoreInterface

extension HostileInputs {
  private static let samples: [[UInt8]] = SampleStore.allCases.map { try! $0.bytes() }

  /// Opens a sound file that is changed as the input states: a refusal is allowed. A file that opens must be readable
  /// to its end, and must accept a save.
  ///
  /// The first byte chooses the file, the second the activity. Changes of three bytes each follow: an offset and the
  /// new byte. The offsets are spread over the end of the file, which contains the last record and trailer, and over
  /// the whole file. Checksums are repaired, unless the input states that they are not.
  public static func store(_ input: [UInt8]) {
    guard input.count >= 2 else { return }
    var bytes = samples[Int(input[0] & 7) % samples.count]
    for start in stride(from: 2, to: input.count - 2, by: 3) {
      let place = Int(input[start]) | Int(input[start + 1]) << 8
      let last = bytes.count - 1
      bytes[place & 0x8000 == 0 ? max(0, last - place % 1024) : place % bytes.count] =
        input[start + 2]
    }
    if input[0] & 8 == 0 { bytes = BlockFileMap.mended(bytes) }
    use(file: bytes, [Activity(number: input[1])])
    if input[1] & 8 != 0 { recover(bytes) }
  }

  /// Opens a sound file whose metadata, model or schema are replaced by the input's bytes. The first two bytes choose
  /// the section and the activity, or state that the input is a property list, which must read back equal.
  public static func metadata(_ input: [UInt8]) {
    guard input.count >= 2 else { return }
    let mode = input[0]
    let section = Array(input[2...])
    if mode & 3 == 3 {
      guard let list = try? BinaryPropertyList.read(section) else { return }
      let written = BinaryPropertyList.write(list)
      let again = try? BinaryPropertyList.read(written)
      precondition(again.map(BinaryPropertyList.write) == written, "What is written is read.")
      return
    }
    let sample = samples[
      mode & 4 == 0 ? SampleStore.plain.rawValue : SampleStore.evolved.rawValue]
    let bytes = BlockFileMap.replacing(
      sectionAt: [48, 64, 80][Int(mode & 3)], with: section, in: sample)
    use(file: bytes, [Activity(number: input[1])])
  }

  /// The activities with a store.
  public enum Activity: UInt8, CaseIterable, Sendable {
    /// Reading every value of some rows.
    case rows
    case scans
    case indexes
    case history
    case description
    /// Saving rows, keys and metadata.
    case saving
    case evolving
    case rewriting

    /// Creates the activity of a number. Many numbers have the same activity.
    public init(number: UInt8) { self = Activity(rawValue: number & 7)! }
  }

  /// Opens a file of the given bytes and runs an activity, which continues after operations that the store refuses.
  ///
  /// - Returns: The error if the file can't be opened; `nil` if it opens.
  @discardableResult
  public static func use(
    file bytes: [UInt8], _ activities: [Activity] = Activity.allCases
  ) -> (any Error)? {
    let disk = SimulatedDisk()
    guard let file = try? disk.open("/s", for: .create), (try? file.append(bytes)) != nil else {
      return nil
    }
    for activity in activities {
      var options = SampleStore.options
      options.patience = .zero
      options.leastDeadByteCount = activity == .rewriting ? 0 : 1 << 30
      options.deadShare = 0
      do {
        let store = try BinaryStore.open("/s", on: disk, options: options)
        try? use(store, activity, disk)
      } catch { return error }
    }
    return nil
  }

  /// Recovers a file of the given bytes, and copies the recovered objects. Errors are allowed.
  ///
  /// - Returns: The number of recovered objects; `nil` if nothing can be recovered.
  @discardableResult
  public static func recover(_ bytes: [UInt8]) -> Int? {
    let disk = SimulatedDisk()
    guard let file = try? disk.open("/s", for: .create), (try? file.append(bytes)) != nil,
      let recovery = try? StoreRecovery(of: "/s", on: disk, model: SampleStore.notes),
      let model = try? recovery.snapshot.model,
      let store = try? MemoryStoreBackend().create(
        at: "", model: model, on: disk, recovery.creation)
    else { return nil }
    return try? recovery.copy(to: store).objectCount
  }

  private static func use(
    _ store: BinaryStore, _ activity: Activity, _ disk: SimulatedDisk
  ) throws {
    let snapshot = try store.snapshot()
    switch activity {
    case .rows: readRows(snapshot)
    case .scans:
      for layout in layouts(snapshot) {
        for batch in (try? snapshot.view.batches(of: layout)) ?? [] {
          for column in layout.columns { _ = try? batch.block.column(column) }
        }
      }
    case .indexes:
      let sorted = IndexedView(snapshot.view, snapshot.schema)
      for index in snapshot.schema.indexes.prefix(8) {
        _ = try? sorted.keys(index, in: IndexRange())
        _ = try? StoreContents.check(sorted, index)
      }
    case .history:
      for commit in try store.commits().prefix(8) {
        guard let earlier = try? store.snapshot(ofCommit: commit.number) else { continue }
        readRows(earlier)
      }
    case .description:
      _ = try store.describe()
      _ = try? snapshot.model.versionHashes
      _ = try? snapshot.metadata.versionHashes
      _ = try BinaryStore.metadata(at: "/s", on: disk).uuid
    case .rewriting:
      try save(store, 0)
      try readRows(store.snapshot())
    case .saving:
      for round in 0..<2 as Range<UInt64> { try? save(store, round) }
      _ = try store.leaseKeys(ofEntity: 1, count: 1)
      var metadata = try snapshot.metadata
      metadata.values["fuzz"] = .integer(1)
      try store.commit(
        CommitRequest(Layer(), basedOn: store.snapshot(), metadata: metadata))
      try readRows(store.snapshot())
    case .evolving:
      try SampleStore.evolve(store)
      try? save(store, 0)
      try readRows(store.snapshot())
    }
  }

  private static func layouts(_ snapshot: any StoreSnapshot) -> some Sequence<Layout> {
    (snapshot.schema.layouts + snapshot.schema.linkTables.map(\.layout)).prefix(24)
  }

  private static func readRows(_ snapshot: any StoreSnapshot) {
    let view = snapshot.view
    for layout in layouts(snapshot) {
      for number in ((try? view.keys(ofEntity: layout.entityNumber)) ?? []).prefix(24) {
        let key = ObjectKey(entity: layout.entityNumber, number: number)
        guard let row = try? view.row(of: key) else { continue }
        for column in layout.columns { _ = try? row.value(column) }
      }
    }
  }

  /// Inserts an object, changes one and removes one.
  private static func save(_ store: BinaryStore, _ round: UInt64) throws {
    let base = try store.snapshot()
    guard let layout = base.schema.layouts.first else { return }
    let entity = layout.entityNumber
    let builder = LayerBuilder(base.schema)
    builder.insert(ObjectKey(entity: entity, number: 77_777 + round))
    let keys = ((try? base.view.keys(ofEntity: entity)) ?? []).filter { $0 < 77_777 }
    if keys.count > 1 {
      let (first, last) = (
        ObjectKey(entity: entity, number: keys[0]),
        ObjectKey(entity: entity, number: keys[keys.count - 1])
      )
      if first != last, let version = try base.view.row(of: last)?.version {
        builder.remove(last, basis: version)
      }
      if !layout.columns.isEmpty, let version = try base.view.row(of: first)?.version {
        builder.set(.null, column: 0, of: first, basis: version)
      }
    }
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
  }
}
