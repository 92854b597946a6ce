extension ExchangeReport {
  /// A file in the folder of a remote that was left out.
  public struct SkippedFile: Sendable, Hashable {
    /// The name of the file.
    public let name: String
    /// The reason, to be read behind the name: `is not complete: …`.
    public let reason: String
  }
}
