extension ExchangeReport {
  /// A version of another device whose changes contradict the changes of this document.
  public struct Conflict: Sendable {
    public let version: SharedVersion
    /// The conflicts in words, or the reason why the result of a merge is not valid.
    public let reasons: [String]
    /// The head that shows the version; `nil` if no head was made.
    public internal(set) var head: String?
  }
}
