import Foundation
import Quire
import StoreInterface
import Synchronization

/// Saves one after the other. Each save inserts an object, and changes the object of the writer.
///
/// The work saves again after an error. After the error `uncertain` it looks first whether the save counts. It never
/// opens the store again.
struct SavingWork {
  private let container: PersistentContainer
  private let context: ManagedObjectContext
  private let writer: Int64
  private let confirmations: FileHandle
  private var summary = Summary()
  private var lastConfirmation: ContinuousClock.Instant?

  private struct Summary: Encodable {
    var confirmed = 0
    /// The number of errors after which the work tried again.
    var repeated = 0
    /// The number of saves with the error `uncertain`, and how many of them counted.
    var uncertain = 0
    var uncertainCounted = 0
    var longestPause = 0.0
  }

  /// - Parameters:
  ///   - writer: The number of the process.
  ///   - path: The path of the file for the numbers of the confirmed saves.
  init(_ container: PersistentContainer, _ writer: Int64, confirmingIn path: String) throws {
    (self.container, self.writer) = (container, writer)
    context = ManagedObjectContext(container.coordinator, concurrency: .confined)
    try Data().write(to: URL(filePath: path))
    confirmations = try FileHandle(forWritingTo: URL(filePath: path))
  }

  /// Saves until the standard input ends, and prints a summary.
  mutating func run() throws {
    let isEnded = Flag()
    Thread.detachNewThread {
      while readLine() != nil {}
      isEnded.value.store(true, ordering: .relaxed)
    }
    var number = writer * 1_000_000_000
    while !isEnded.value.load(ordering: .relaxed) {
      number += 1
      try save(number)
      try confirm(number)
      // The servers run on the same machine, and need its processors too.
      Thread.sleep(forTimeInterval: 0.01)
    }
    print(String(decoding: try JSONEncoder().encode(summary), as: UTF8.self))
  }

  private final class Flag: Sendable {
    let value = Atomic(false)
  }

  /// Saves an object with a number, however often it takes.
  private mutating func save(_ number: Int64) throws {
    var isInserted = false
    while true {
      do {
        if !isInserted { try insert(number) }
        isInserted = true
        return try context.save()
      } catch let error as StoreError where error.code == .uncertain {
        report(error, number)
        summary.uncertain += 1
        if try isSaved(number) {
          summary.uncertainCounted += 1
          return context.reset()
        }
      } catch let error as StoreError {
        report(error, number)
        summary.repeated += 1
      }
      Thread.sleep(forTimeInterval: 0.05)
    }
  }

  private func insert(_ number: Int64) throws {
    let found = try context.fetch(Writer.where { $0.number == self.writer }).first
    let writer = try found ?? context.insert(Writer.self) { $0.number = self.writer }
    try context.insert(Save.self) { ($0.number, $0.writer) = (number, writer) }
    writer.count += 1
  }

  /// Returns whether the store contains a save, as soon as the store answers.
  private func isSaved(_ number: Int64) throws -> Bool {
    while true {
      do {
        let context = ManagedObjectContext(container.coordinator, concurrency: .confined)
        return try context.count(for: Save.where { $0.number == number }) > 0
      } catch let error as StoreError {
        report(error, number)
        Thread.sleep(forTimeInterval: 0.05)
      }
    }
  }

  private func report(_ error: StoreError, _ number: Int64) {
    let line = "\(number): \(error.code.rawValue): \(error.message)\n"
    FileHandle.standardError.write(Data(line.utf8))
  }

  /// Writes the number of a save that counts into the file, and waits until the disk has it.
  private mutating func confirm(_ number: Int64) throws {
    try confirmations.write(contentsOf: Data("\(number)\n".utf8))
    try confirmations.synchronize()
    summary.confirmed += 1
    let now = ContinuousClock.now
    if let last = lastConfirmation {
      summary.longestPause = max(summary.longestPause, (now - last) / .seconds(1))
    }
    lastConfirmation = now
  }
}
