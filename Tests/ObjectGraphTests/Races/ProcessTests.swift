import Foundation
import ObjectGraph
import ObjectModel
import SQLiteStore
import StoreInterface
import TestEffort
import Testing
import Validation

/// Two processes that save into one file, each through a coordinator of its own.
@Suite("Saves of two processes")
struct ProcessTests {
  private static let kinds: [Kind] = Kind.files

  private static let saveCount = Effort.count(20)

  @Test("The store contains exactly the acknowledged saves of both processes", arguments: kinds)
  func both(_ kind: Kind) async throws {
    let folder = try Self.folder(kind)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let seed = UInt64.random(in: 0...1_000_000_000)
    print("two processes on \(kind): seed \(seed)")
    let count = Self.saveCount

    async let first = #expect(processExitsWith: .success) {
      [
        folder = folder as String, kind = kind.rawValue as String, seed = seed as UInt64,
        count = count as Int
      ] in
      try ProcessTests.work(kind, folder, 0, seed, count)
    }
    async let second = #expect(processExitsWith: .success) {
      [
        folder = folder as String, kind = kind.rawValue as String, seed = seed as UInt64,
        count = count as Int
      ] in
      try ProcessTests.work(kind, folder, 1, seed, count)
    }
    _ = await (first, second)

    try Self.check(kind, folder, seed)
  }

  @Test("A killed process loses no acknowledged save and blocks no process", arguments: kinds)
  func killed(_ kind: Kind) async throws {
    let folder = try Self.folder(kind)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let seed = UInt64.random(in: 0...1_000_000_000)
    print("a process killed on \(kind): seed \(seed)")
    let count = Self.saveCount

    async let first = #expect(processExitsWith: .success) {
      [
        folder = folder as String, kind = kind.rawValue as String, seed = seed as UInt64,
        count = count as Int
      ] in
      try ProcessTests.work(kind, folder, 0, seed, count)
    }
    async let second = #expect(processExitsWith: .signal(SIGKILL)) {
      [folder = folder as String, kind = kind.rawValue as String, seed = seed as UInt64] in
      Thread.detachNewThread {
        usleep(UInt32(seed % 200_000) + 2_000)
        kill(getpid(), SIGKILL)
      }
      try ProcessTests.work(kind, folder, 1, seed, .max)
    }
    _ = await (first, second)

    try Self.check(kind, folder, seed)
  }

  private static func folder(_ kind: Kind) throws -> String {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for number in 0..<2 {
      try Data().write(to: URL(fileURLWithPath: ProcessWork.logPath(number, in: folder.path)))
    }
    try ProcessWork.setUp(kind, in: folder.path)
    return folder.path
  }

  /// Does random work until the process has acknowledged a number of saves.
  private static func work(
    _ kind: String, _ folder: String, _ number: Int, _ seed: UInt64, _ count: Int
  ) throws {
    var work = try ProcessWork(Kind(rawValue: kind)!, in: folder, number: number, seed: seed)
    while work.savedCount < count { try work.step() }
  }

  private static func check(_ kind: Kind, _ folder: String, _ seed: UInt64) throws {
    let (allowed, saveCount) = try ProcessOutcome.allowed(in: folder)
    let context = ManagedObjectContext(
      try ProcessWork.opened(kind, in: folder), concurrency: .confined)
    let found = try ProcessOutcome(context)
    let report = try Validator(backends: StoreBackends([SQLiteStoreBackend()])).validate(
      ProcessWork.storePath(folder))

    #expect(allowed.contains(found), "seed \(seed): not \(allowed[0])")
    #expect(saveCount > 0)
    #expect(try context.disagreements() == [])
    for person in try context.fetch(Person.self) {
      #expect(person.tripCount == person.trips.count, "seed \(seed), \(person.name)")
    }
    // A process that is killed after its last commit may leave the commit without its acknowledgement, if no save follows.
    let findings = report.findings.filter { $0.rule.id != "BLCK-026" }
    #expect(report.verdict == .valid && findings.isEmpty, "\(report.findings)")
  }
}
