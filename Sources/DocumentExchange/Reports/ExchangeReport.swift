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
}
