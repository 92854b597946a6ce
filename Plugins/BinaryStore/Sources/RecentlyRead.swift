import Synchronization

/// A cache of the last parsed sections of one kind, by their bytes. A program opens many stores of few models, and
/// reads the metadata of a store before it opens the store.
final class RecentlyRead<Part: Sendable>: Sendable {
  private static var most: Int { 8 }
  /// The largest cached section. Longer sections are rare, and are parsed each time.
  private static var mostBytes: Int { 1 << 16 }
  private let known = Mutex<[(bytes: [UInt8], part: Part)]>([])

  /// Returns the cached result for the given bytes, or the result of `read` if none is cached.
  func part(_ bytes: [UInt8], read: ([UInt8]) throws -> Part) rethrows -> Part {
    if let known = known.withLock({ $0.first { $0.bytes == bytes } }) { return known.part }
    let part = try read(bytes)
    guard bytes.count <= Self.mostBytes else { return part }
    known.withLock { known in
      known.insert((bytes, part), at: 0)
      if known.count > Self.most { known.removeLast() }
    }
    return part
  }
}
