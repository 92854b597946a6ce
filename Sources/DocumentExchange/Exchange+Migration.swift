public import Documents
import Foundation
public import Migration
public import StoreInterface

extension Exchange {
  /// Migrates a document to the model of newer versions of its remote, for which the report of an exchange has named the
  /// versions that wait (``ExchangeReport/newerModel``).
  ///
  ///     if try Exchange(document).sync().newerModel.isEmpty == false {
  ///       try document.close()
  ///       try Exchange.migrate(document.path, in: .builtIn)
  ///     }
  ///
  /// The migration is inferred, as it was on the first device. A document without own changes takes over the version with the
  /// migration as it is. Further versions are taken in by the next exchange, which may find a still newer model.
  ///
  /// Close the document before, in all processes. A program that needs its model must not call this, and goes on with its head: the
  /// versions wait in the remote.
  ///
  /// - Parameters:
  ///   - head: The head; `nil` for the current head.
  ///   - remote: The name of the remote; `nil` for the only one, or for `origin`.
  ///   - migrator: The losses and the broken rules that are allowed.
  ///   - whenHeld: The behaviour when another process has the document open.
  /// - Returns: The report with the version that was taken over, if there was one; `nil` if the document was not migrated.
  /// - Throws: ``ExchangeError``; `DocumentError`; `MigrationError` with code `wouldLose` if values would be lost. The document is
  ///   unchanged then.
  @discardableResult
  public static func migrate(
    _ path: String, head: String? = nil, with remote: String? = nil,
    by migrator: Migrator = .automatic, in places: StorePlaces,
    whenHeld: Document.WhenHeld = .fail
  ) throws -> ExchangeReport? {
    func turn<R>(_ body: (ExchangeTurn) throws -> R) throws -> R {
      let document = try Document.open(path, in: places, access: .shared, head: head)
      defer { try? document.close() }
      return try body(ExchangeTurn(Exchange(document, with: remote)))
    }
    guard let next = try turn({ try $0.nextMigration() }) else { return nil }
    // Changes besides the migration make the version of the other device. So the migration alone is another one.
    let version = next.hasChanges ? nil : next.version
    let taken = TakenVersions(
      received: version.map { [$0.identity] } ?? [], saved: version?.saved ?? next.saved)
    try DocumentHeads.taking(taken) {
      _ = try Document.migrate(
        path, to: next.model.model, with: migrator, in: places, whenHeld: whenHeld, head: head,
        author: version?.author, message: version?.message)
    }
    if next.hasChanges, let version = next.version { try turn { try $0.finish(version) } }
    var report = ExchangeReport()
    report.received = [next.version].compactMap(\.self)
    return report
  }
}
