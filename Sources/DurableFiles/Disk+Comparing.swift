extension Disk {
  /// Returns whether two files, or two folders with all their files, are equal. A missing second one is not.
  package func hasSameBytes(_ path: String, as other: String) throws(DiskError) -> Bool {
    guard let copy = try statusIfThere(other) else { return false }
    let status = try status(of: path)
    guard status.kind == copy.kind else { return false }
    if status.kind == .directory {
      let names = try list(path).map(\.name).sorted()
      guard try names == list(other).map(\.name).sorted() else { return false }
      for name in names
      where try !hasSameBytes(
        path.appendingPathComponent(name), as: other.appendingPathComponent(name))
      {
        return false
      }
      return true
    }
    let (file, second) = (try open(path, for: .read), try open(other, for: .read))
    let byteCount = try file.byteCount()
    guard try second.byteCount() == byteCount else { return false }
    for start in stride(from: 0, to: byteCount, by: 1 << 20) {
      let count = min(1 << 20, byteCount - start)
      let bytes = try file.read(byteCount: count, at: start)
      guard try bytes == second.read(byteCount: count, at: start) else { return false }
    }
    return true
  }
}
