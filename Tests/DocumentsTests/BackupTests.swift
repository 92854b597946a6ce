import DiskSimulation
import Documents
import DurableFiles
import Foundation
import ObjectModel
import StoreInterface
import Synchronization
import TestEffort
import Testing
import Validation

/// A document, and its backup on the same simulated disk.
struct BackedUpWorld {
  static let backup = "/Backup.quire"

  let world: DocumentWorld
  let disk: SimulatedDisk

  init(_ mix: Mix, on disk: SimulatedDisk = SimulatedDisk()) {
    self.disk = disk
    world = DocumentWorld(mix, on: disk)
  }

  @discardableResult
  func backUp(overwriting: Bool = false) throws -> DocumentBackup.Result {
    try DocumentBackup(of: DocumentWorld.path, in: world.places).write(
      to: Self.backup, overwriting: overwriting)
  }

  /// Opens the backup like any reader.
  func reading<R>(
    _ head: String? = nil, version: Int64? = nil, _ body: (Document) throws -> R
  ) throws -> R {
    let document = try Document.open(
      Self.backup, in: world.places, access: .readOnly, head: head, version: version)
    defer { try? document.close() }
    return try body(document)
  }

  func names(_ head: String? = nil, version: Int64? = nil) throws -> [[String]] {
    try reading(head, version: version) { try world.names(in: $0) }
  }

  /// - Parameter isInterrupted: Whether files may be left that no manifest names.
  func checkIsValid(_ comment: String = "", isInterrupted: Bool = false) throws {
    let report = try Validator(backends: world.places.backends).validate(Self.backup, on: disk)
    #expect(
      report.count(of: .error) == 0 && (isInterrupted || report.count(of: .warning) == 0),
      "\(comment) \(report.text)")
  }

  /// The number of bytes that calls have written to files of the backup since an operation.
  func writtenByteCount(since count: Int) -> Int {
    disk.operations.dropFirst(count).filter {
      $0.operation == .write && $0.path.hasPrefix(Self.backup)
    }.reduce(0) { $0 + ($1.range?.count ?? 0) }
  }
}

@Suite("Backups of documents")
struct BackupTests {
  @Test("A backup has all versions, heads and attachments", arguments: Mix.allCases)
  func whole(_ mix: Mix) throws {
    let backup = BackedUpWorld(mix)
    let document = try backup.world.create()
    try backup.world.add("a", to: document)
    try document.addAttachment(named: "photo.jpg") { write in try write(Array("photo".utf8)) }
    try document.save()
    if mix != .plugins { try document.heads.make("draft") }
    try backup.world.add("b", to: document)

    // The document stays open for exclusive access meanwhile.
    let result = try backup.backUp()
    #expect(result.isNew && result.mark.version == document.manifest.number)
    #expect(result.writtenByteCount >= result.byteCount)
    #expect(try backup.names() == .each("a", "b"))
    #expect(try backup.names(version: 2) == .each("a"))
    if mix != .plugins { #expect(try backup.names("draft") == .each("a")) }
    try backup.reading { copy in
      #expect(copy.manifest.uuid == document.manifest.uuid)
      #expect(copy.versions.map(\.number) == document.versions.map(\.number))
      let reader = try copy.openAttachment(named: "photo.jpg")
      #expect(try reader.read(byteCount: 5, at: 0) == Array("photo".utf8))
    }
    try backup.checkIsValid()
    try document.close()
  }

  @Test("The next backup writes the new bytes alone", arguments: Mix.ours)
  func newBytes(_ mix: Mix) throws {
    let backup = BackedUpWorld(mix)
    let document = try backup.world.create()
    for number in 0..<40 { try backup.world.add("\(number)", to: document) }
    let photo = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try document.addAttachment(named: "photo.jpg") { write in try write(photo) }
    try document.save()
    let first = try backup.backUp()
    let files = try backup.world.files(in: BackedUpWorld.backup)

    let nothing = try backup.backUp()
    try backup.world.add("new", to: document)
    let count = backup.disk.operationCount
    let second = try backup.backUp()
    let written = backup.writtenByteCount(since: count)

    #expect(first.writtenByteCount > 100_000)
    let manifest = try backup.reading { $0.manifest.text.utf8.count }
    #expect(!nothing.isNew && nothing.writtenByteCount <= manifest)
    let isWhole = mix == .xml || mix == .binaryAndXML || mix == .threeStores
    #expect(second.writtenByteCount < manifest + (isWhole ? 40_000 : 8_000))
    // The lock file names the process that writes.
    #expect(written >= second.writtenByteCount && written < second.writtenByteCount + 500)
    #expect(second.byteCount >= first.byteCount)
    #expect(try backup.names()[0].count == 41)
    let added = try Set(backup.world.files(in: BackedUpWorld.backup)).subtracting(files)
    #expect(added.allSatisfy { $0.hasPrefix("stores/") && $0.hasSuffix(".xml") || $0 == ".lock" })
    try backup.checkIsValid()
    try document.close()
  }

  @Test(
    "After a cut at any moment the backup is in its former state or in the new one",
    arguments: Mix.ours)
  func cuts(_ mix: Mix) throws {
    let disk = SimulatedDisk()
    let backup = BackedUpWorld(mix, on: disk)
    let document = try backup.world.create()
    try backup.world.add("a", to: document)
    try backup.backUp()
    let former = document.manifest.number
    for name in ["b", "c", "d"] { try backup.world.add(name, to: document) }
    try document.addAttachment(named: "photo.jpg") { write in try write(Array("photo".utf8)) }
    try document.save()
    disk.settle()
    try backup.backUp()

    try checkCrashes(disk, mix, [former, document.manifest.number]) { number, names in
      names == (number == former ? .each("a") : .each("a", "b", "c", "d"))
    }
  }

  @Test("The same for commits that are too large for one sync, and for a store that was vacuumed")
  func largeCuts() throws {
    for vacuums in [false, true] {
      let disk = SimulatedDisk()
      let backup = BackedUpWorld(.binary, on: disk)
      let document = try backup.world.create()
      try backup.world.add("a", to: document)
      try backup.backUp()
      let former = document.manifest.number
      // A text that no encoding makes smaller than the limit of a commit with one sync.
      let text = String((0..<150_000).map { Character(UnicodeScalar(UInt8(33 + $0 * 7919 % 90))) })
      try backup.world.add("b" + text, to: document)
      try backup.world.add("c", to: document)
      if vacuums {
        try document.thin(.newestOnly)
        try document.vacuum()
      }
      disk.settle()
      let result = try backup.backUp()
      #expect(result.writtenByteCount > 450_000)

      try checkCrashes(disk, .binary, [former, document.manifest.number]) { number, names in
        names[0].count == (number == former ? 1 : 3)
      }
    }
  }

  private func checkCrashes(
    _ disk: SimulatedDisk, _ mix: Mix, _ states: Set<Int64>,
    _ isRight: (Int64, [[String]]) -> Bool
  ) throws {
    var seen: Set<Int64> = []
    for state in disk.crashStates(limit: Effort.count(300), seed: 1) {
      let crashed = BackedUpWorld(mix, on: state.disk)
      let (number, names) = try crashed.reading {
        ($0.manifest.number, try crashed.world.names(in: $0))
      }
      seen.insert(number)
      #expect(isRight(number, names), "\(state)")
      try crashed.checkIsValid("\(state)", isInterrupted: true)
      // The next backup goes on from there.
      try crashed.backUp()
      #expect(try crashed.reading { $0.manifest.number } == states.max(), "\(state)")
      try crashed.checkIsValid("\(state)")
    }
    #expect(seen == states)
  }

  @Test("A failed disk operation leaves the former state or the new one", arguments: Mix.ours)
  func refusals(_ mix: Mix) throws {
    var isReached = true
    var number = 0
    while isReached, number < 300 {
      let disk = SimulatedDisk()
      let backup = BackedUpWorld(mix, on: disk)
      let document = try backup.world.create()
      try backup.world.add("a", to: document)
      try backup.backUp()
      try backup.world.add("b", to: document)
      let count = disk.operationCount
      disk.plan(
        PlannedFailure(
          .error(.noSpace), on: [.write, .sync, .rename, .link, .open, .remove], after: number))
      _ = try? backup.backUp()
      disk.planNoFailures()
      isReached = disk.operations.dropFirst(count).contains { $0.failure == .noSpace }
      #expect([.each("a"), .each("a", "b")].contains(try backup.names()), "\(number)")
      try backup.backUp()
      #expect(try backup.names() == .each("a", "b"), "\(number)")
      try backup.checkIsValid("\(number)")
      try document.close()
      number += Effort.distance(1)
    }
    #expect(!isReached && number > 10)
  }

  @Test("Each backup has one version of a document that other programs save all the time")
  func inUse() throws {
    let backup = BackedUpWorld(.binaryAndXML)
    let document = try backup.world.create()
    try backup.world.add("0", to: document)
    var last: Int64 = 0
    for number in 1..<30 {
      try backup.world.add("\(number)", to: document)
      if number % 5 == 0 {
        // Versions that are forgotten take files with them.
        try document.thin(.newestOnly)
        try document.vacuum()
      }
      let result = try backup.backUp()
      #expect(result.mark.version == document.manifest.number && result.mark.version > last)
      last = result.mark.version
      #expect(try backup.names()[0].count == number + 1)
      try backup.checkIsValid("\(number)")
    }
    // Files that the document has forgotten do not stay in the backup.
    let folder = BackedUpWorld.backup
    let counts = try [folder, DocumentWorld.path].map { path in
      try backup.world.files(in: path).count { $0.hasPrefix("stores/") }
    }
    #expect(counts[0] == counts[1])
    try document.close()
  }

  @Test("Backups run beside a program that saves, forgets versions and vacuums in another thread")
  func concurrent() throws {
    let backup = BackedUpWorld(.binaryAndXML)
    let document = try backup.world.create()
    try backup.world.add("0", to: document)
    try document.close()
    let isOver = Atomic(false)
    let writer = DocumentWorld(.binaryAndXML, on: backup.disk.seen(by: DocumentWorld.otherProcess))
    let failure = Mutex<String?>(nil)
    Thread.detachNewThread {
      do {
        let document = try writer.open(.shared)
        for number in 1..<Effort.count(60) {
          try writer.add("\(number)", to: document)
          if number % 7 == 0 {
            try document.thin(.newestOnly)
            try document.vacuum()
          }
        }
        try document.close()
      } catch { failure.withLock { $0 = "\(error)" } }
      isOver.store(true, ordering: .releasing)
    }
    var numbers: [Int64] = []
    var isLast = false
    while !isLast {
      isLast = isOver.load(ordering: .acquiring)
      numbers.append(try backup.backUp().mark.version)
      let names = try backup.names()
      #expect(names[0] == names[1] && names[1] == names[2])
      try backup.checkIsValid()
    }
    #expect(failure.withLock { $0 } == nil)
    #expect(numbers == numbers.sorted())
    #expect(try backup.names() == backup.world.names())
  }

  @Test("A save after a backup is noticed")
  func noticed() throws {
    let backup = BackedUpWorld(.binary)
    let document = try backup.world.create()
    try backup.world.add("a", to: document)
    let made = try backup.backUp()
    #expect(
      try !DocumentBackup(of: DocumentWorld.path, in: backup.world.places).isChanged(since: made))
    try backup.world.add("b", to: document)
    #expect(
      try DocumentBackup(of: DocumentWorld.path, in: backup.world.places).isChanged(since: made))
    #expect(try backup.names() == .each("a"))
    try document.close()
  }

  private func refusal(_ backup: BackedUpWorld) -> DocumentError? {
    do {
      try backup.backUp()
      return nil
    } catch { return error as? DocumentError }
  }

  @Test("Another document, a copy, and a changed backup are refused and stay as they are")
  func refusedTargets() throws {
    let backup = BackedUpWorld(.binary)
    let document = try backup.world.create()
    try backup.world.add("a", to: document)

    try document.copy(to: BackedUpWorld.backup)
    #expect(refusal(backup)?.code == .notABackup)
    #expect(refusal(backup)?.message.contains("another identifier") == true)
    try backup.disk.removeTree(BackedUpWorld.backup)

    try backup.disk.copyTree(DocumentWorld.path, to: BackedUpWorld.backup)
    #expect(refusal(backup)?.code == .notABackup)
    #expect(try backup.backUp(overwriting: true).isNew)
    #expect(refusal(backup) == nil)

    let changed = try Document.open(BackedUpWorld.backup, in: backup.world.places)
    #expect(refusal(backup)?.code == .locked)
    try backup.world.add("mine", to: changed)
    try changed.close()
    #expect(refusal(backup)?.message.contains("was changed") == true)
    #expect(try backup.names() == .each("a", "mine"))
    #expect(
      try DocumentBackup.mark(ofBackupAt: BackedUpWorld.backup, in: backup.world.places)?.isChanged
        == true)
    try backup.backUp(overwriting: true)
    #expect(try backup.names() == .each("a"))
    try document.close()
  }

  @Test("A document that was restored from an older backup does not take versions from a newer one")
  func restored() throws {
    let backup = BackedUpWorld(.binary)
    let document = try backup.world.create()
    try backup.world.add("a", to: document)
    try backup.backUp()
    try document.close()
    try backup.disk.copyTree(BackedUpWorld.backup, to: "/Old.quire")
    let again = try backup.world.open()
    try backup.world.add("b", to: again)
    try backup.backUp()
    try again.close()

    // The document is lost, and the older of two backups takes its place.
    try backup.disk.removeTree(DocumentWorld.path)
    try backup.disk.copyTree("/Old.quire", to: DocumentWorld.path)
    #expect(refusal(backup)?.code == .notABackup)
    let restored = try backup.world.open()
    #expect(try backup.world.names(in: restored) == .each("a"))
    try backup.world.add("c", to: restored)
    #expect(refusal(backup)?.message.contains("restored from an older backup") == true)
    #expect(try backup.names() == .each("a", "b"))
    try restored.close()
  }

  @Test("A restored document is backed up to the backup that it comes from")
  func restoredFromNewest() throws {
    let backup = BackedUpWorld(.binaryAndXML)
    let document = try backup.world.create()
    try backup.world.add("a", to: document)
    try backup.backUp()
    try document.close()
    try backup.disk.removeTree(DocumentWorld.path)
    try backup.disk.copyTree(BackedUpWorld.backup, to: DocumentWorld.path)
    let restored = try backup.world.open()
    try backup.world.add("b", to: restored)
    let result = try backup.backUp()
    #expect(!result.isNew && result.writtenByteCount < result.byteCount)
    #expect(try backup.names() == .each("a", "b"))
    try backup.checkIsValid()
    // A copy with an identifier of its own is not a backup.
    try restored.copy(to: "/Copy.quire")
    #expect(try DocumentBackup.mark(ofBackupAt: "/Copy.quire", in: backup.world.places) == nil)
    try restored.close()
  }

  @Test("Heads come and go with those of the document, and one of them is current")
  func heads() throws {
    let backup = BackedUpWorld(.binaryAndXML)
    let document = try backup.world.create()
    try backup.world.add("a", to: document)
    try document.heads.make("draft")
    try backup.backUp()
    let draft = try { () throws -> Document in
      try document.close()
      return try Document.open(DocumentWorld.path, in: backup.world.places, head: "draft")
    }()
    try backup.world.add("d", to: draft)
    try draft.heads.make("other")
    try draft.heads.makeCurrent("other")
    backup.disk.settle()
    try backup.backUp()
    #expect(try backup.names("draft") == .each("a", "d"))
    #expect(try backup.names("main") == .each("a"))
    #expect(try backup.reading { $0.head } == "other")
    for state in backup.disk.crashStates(limit: Effort.count(100), seed: 2) {
      let crashed = BackedUpWorld(.binaryAndXML, on: state.disk)
      try crashed.checkIsValid("\(state)", isInterrupted: true)
      try crashed.backUp()
      #expect(try crashed.reading { $0.head } == "other")
    }

    try draft.heads.makeCurrent("main")
    try draft.heads.remove("other")
    try backup.backUp()
    #expect(try backup.reading { try $0.heads.names.sorted() } == ["draft", "main"])
    #expect(try !backup.world.files(in: BackedUpWorld.backup).contains { $0.contains("other") })
    try backup.checkIsValid()
    try draft.close()
  }
}
