extension Exchange {
  /// A step of an exchange that takes time.
  public enum Progress: Sendable {
    /// A version of another device is taken in.
    case receiving(SharedVersion)
    /// So many versions are sent.
    case sending(Int)
  }
}
