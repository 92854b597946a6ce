import Synchronization

/// What was read last of one kind of section, by its bytes, so that the same bytes are not parsed again: a program
/// opens many stores of few models, and looks at what a store says of itself before it opens it.
final class RecentlyRead<Part: Sendable>: Sendable {
  private static var most: Int { 8 }
  /// Longer sections are rare, and read each time.
  private static var mostBytes: Int { 1 << 16 }
  private let known = Mutex<[(bytes: [UInt8], part: Part)]>([])

  /// The part that some bytes say, which `read` makes of them if it was not made just before.
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
