extension Duration {
  package var microseconds: Int {
    Int(components.seconds) * 1_000_000 + Int(components.attoseconds / 1_000_000_000_000)
  }

  /// The time in words: `1.250 ms`.
  package var inMilliseconds: String {
    "\(microseconds / 1000).\(String(microseconds % 1000 + 1000).dropFirst()) ms"
  }
}
