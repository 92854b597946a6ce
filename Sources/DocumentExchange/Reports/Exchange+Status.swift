extension Exchange {
  /// The versions that an exchange would send and receive.
  public struct Status: Sendable {
    /// The number of versions of the open head that the remote lacks.
    public let toSend: Int
    /// The newest foreign versions that the open head has not taken in.
    public let toReceive: [SharedVersion]
    /// The heads with versions in conflict that are not merged yet.
    public let conflictedHeads: [String]
    /// The files in the remote's folder that were left out.
    public let skipped: [ExchangeReport.SkippedFile]
  }
}
