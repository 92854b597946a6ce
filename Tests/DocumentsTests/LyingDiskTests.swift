import DiskSimulation
import Documents
import DurableFiles
import ObjectGraph
import ObjectModel
import StoreInterface
import TestEffort
import Testing

/// Saves and openings on a disk that does something else than it reports.
///
/// In a sequence of saves, each call of the disk is a lie once. Then the file opens with the newest acknowledged save, or it is
/// refused: an older state in silence would be a lost save without a word. ``LyingDiskTests/unnoticed`` lists the lies that
/// one file alone can't notice, and so does SECURITY.md.
@Suite("Disks that lie")
struct LyingDiskTests {
  /// A document or a store, by itself, with one object. Each save changes its name.
  enum Subject: String, CaseIterable, CustomTestStringConvertible {
    case document, compressedDocument, documentOfXML, documentOfTwo
    case store, xmlStore

    var testDescription: String { rawValue }

    var mix: Mix? {
      switch self {
      case .document: .binary
      case .compressedDocument: .compressed
      case .documentOfXML: .xml
      case .documentOfTwo: .binaryAndXML
      case .store, .xmlStore: nil
      }
    }

    /// Makes it, or opens it. The result is kept as long as the context is used.
    func context(on disk: any Disk, isNew: Bool = false) throws -> (ManagedObjectContext, AnyObject)
    {
      if let mix {
        let world = DocumentWorld(mix, on: disk)
        let document = try isNew ? world.create() : world.open()
        return (try world.context(document), document)
      }
      let places = StorePlaces(DocumentWorld.backends, on: disk)
      let coordinator = PersistentStoreCoordinator(model: DocumentWorld.model, places: places)
      try coordinator.addStore(
        at: "/Trip.store", type: isNew ? self == .store ? .binary : .xml : nil)
      return (ManagedObjectContext(coordinator, concurrency: .confined), coordinator)
    }
  }

  /// How a run ended.
  enum Outcome: String {
    case right, reported, silent
  }

  static let names = ["Lisbon", "Porto", "Faro", "Sintra", "Évora"]

  /// The lies that leave an older state in silence. If all bytes of a save stay away, the file has no trace of it, and only
  /// the manifest of a document says that there was a save.
  static let unnoticed: [Subject: Set<LyingDisk.Lie>] = [
    .store: [.lostSync], .xmlStore: [.lostSync],
  ]

  @Test(
    "No lie of a disk leaves an older state in silence", arguments: Subject.allCases,
    LyingDisk.Lie.allCases)
  func lies(_ subject: Subject, _ lie: LyingDisk.Lie) throws {
    var counts: [Outcome: Int] = [:]
    var number = 0
    var hasLied = true
    while hasLied, number < 500 {
      let base = SimulatedDisk()
      let disk = LyingDisk(base)
      let outcome =
        try lie.isOfRead
        ? readingRun(subject, base, disk, lie, number)
        : writingRun(subject, base, disk, lie, number)
      hasLied = disk.hasLied
      if hasLied { counts[outcome, default: 0] += 1 }
      if outcome == .silent, !(Self.unnoticed[subject] ?? []).contains(lie) {
        Issue.record(
          "\(subject.rawValue): the \(lie.rawValue) after \(number) calls leaves an older state in silence"
        )
      }
      number += 1
    }
    #expect(!hasLied && number > 1)
    // The list names nothing that is noticed after all.
    #expect((counts[.silent] ?? 0) > 0 || !(Self.unnoticed[subject] ?? []).contains(lie))
    print(
      "lies: \(subject.rawValue) \(lie.rawValue): \(counts[.right] ?? 0) harmless, \(counts[.reported] ?? 0) reported, \(counts[.silent] ?? 0) silent"
    )
  }

  /// Saves while the disk lies, and opens the result on a disk that does not.
  private func writingRun(
    _ subject: Subject, _ base: SimulatedDisk, _ disk: LyingDisk, _ lie: LyingDisk.Lie,
    _ number: Int
  ) throws -> Outcome {
    var acknowledged = 0
    // After a power cut nothing is closed.
    try saves(subject, disk, closes: lie != .lostSync) { step in
      if step == 0 {
        base.settle()
        disk.plan(lie, after: number)
      }
      acknowledged = step
    }
    guard lie == .lostSync else { return outcome(subject, base, acknowledged) }
    // The power goes off right afterwards, and takes all that was not synced.
    var worst = Outcome.right
    for state in base.crashStates(limit: 24, seed: 1)
    where state.operationCount == base.operationCount {
      let found = outcome(subject, state.disk, acknowledged)
      if worst != .silent, found != .right { worst = found }
    }
    return worst
  }

  /// Saves on a disk that does not lie, and opens the result on one that does.
  private func readingRun(
    _ subject: Subject, _ base: SimulatedDisk, _ disk: LyingDisk, _ lie: LyingDisk.Lie,
    _ number: Int
  ) throws -> Outcome {
    var acknowledged = 0
    try saves(subject, base) { acknowledged = $0 }
    disk.plan(lie, after: number)
    return outcome(subject, disk, acknowledged)
  }

  /// Makes the subject, and saves each name. Calls `body` after each save, with its place among the names.
  private func saves(
    _ subject: Subject, _ disk: any Disk, closes: Bool = true, _ body: (Int) -> Void
  ) throws {
    let (context, owner) = try subject.context(on: disk, isNew: true)
    try withExtendedLifetime(owner) {
      let trip = try context.insert("Trip")
      for (step, name) in LyingDiskTests.names.enumerated() {
        trip["name"] = .string(name)
        do { try context.save() } catch {
          // A save that notices the lie is not acknowledged.
          if step == 0 { throw error }
          break
        }
        body(step)
      }
      guard closes else { return }
      if let document = owner as? Document { try? document.close() }
      if let coordinator = owner as? PersistentStoreCoordinator {
        for store in coordinator.stores { try? coordinator.remove(store) }
      }
    }
  }

  private func outcome(_ subject: Subject, _ disk: any Disk, _ acknowledged: Int) -> Outcome {
    do {
      let (context, owner) = try subject.context(on: disk)
      return try withExtendedLifetime(owner) {
        let found = try context.fetch(FetchRequest("Trip")).map { $0["name"] }
        let expected = LyingDiskTests.names[acknowledged...].map { [Value.string($0)] }
        return expected.contains(found) ? .right : .silent
      }
    } catch { return .reported }
  }
}
