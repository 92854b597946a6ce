import Synchronization

/// A cache of the last parsed sections of one kind, by their bytes. A program opens many stores of few models, reads the
/// metadata of a store before it opens the store, and finds the model of a document again in each of its stores.
package final class RecentlyRead<Part: Sendable>: Sendable {
  private static var most: Int { 8 }
  private let mostBytes: Int
  private let known = Mutex<[(bytes: [UInt8], part: Part)]>([])

  /// Creates an empty cache.
  ///
  /// - Parameter mostBytes: The largest cached section. Longer sections are rare, and are parsed each time.
  package init(mostBytes: Int = 1 << 16) { self.mostBytes = mostBytes }

  /// Returns the cached result for the given bytes, or the result of `read`, which is cached unless the section is too long.
  package func part(_ bytes: [UInt8], read: ([UInt8]) throws -> Part) rethrows -> Part {
    if let known = known.withLock({ $0.first { $0.bytes == bytes } }) { return known.part }
    let part = try read(bytes)
    guard bytes.count <= mostBytes else { return part }
    known.withLock { known in
      known.insert((bytes, part), at: 0)
      if known.count > Self.most { known.removeLast() }
    }
    return part
  }
}
