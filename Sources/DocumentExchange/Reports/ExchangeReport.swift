/// The work and the findings of an exchange.
public struct ExchangeReport: Sendable {
  /// The versions that were sent, the oldest first.
  public internal(set) var sent: [SharedVersion] = []
  /// The number of packs whose contents were put into one.
  public internal(set) var consolidatedCount = 0
  /// The number of bytes that were written into the remote.
  public internal(set) var sentByteCount = 0
  /// The versions whose changes the document has taken in.
  public internal(set) var received: [SharedVersion] = []
  /// The versions in conflict with this document.
  public internal(set) var conflicts: [ExchangeReport.Conflict] = []
  /// The versions that wait for packs which have not arrived, or which are damaged.
  public internal(set) var waiting: [SharedVersion] = []
  /// The versions whose model is newer than the model of the document. They wait until the document is migrated
  /// (``Exchange/migrate(_:head:with:by:in:whenHeld:)``), and the document goes on with its own model meanwhile.
  public internal(set) var newerModel: [SharedVersion] = []
  /// The versions whose model is older than the model of the document, and which can't be translated here. Their device takes in the
  /// newer model at its next exchange, and merges them then.
  public internal(set) var olderModel: [SharedVersion] = []
  /// The files in the remote's folder that were left out.
  public internal(set) var skipped: [ExchangeReport.SkippedFile] = []
}

extension ExchangeReport {
  /// Adds the work of an exchange that followed.
  package mutating func take(_ next: ExchangeReport) {
    consolidatedCount += next.consolidatedCount
    sentByteCount += next.sentByteCount
    skipped = next.skipped
  }

  /// Adds the work of an exchange after a migration, which looked at all foreign versions again.
  package mutating func takeAfterMigration(_ next: ExchangeReport) {
    var next = next
    next.sent = sent + next.sent
    next.received = received + next.received
    next.sentByteCount += sentByteCount
    self = next
  }
}
