/// The bytes of a simulated file, in pages that copies share until one of them writes.
///
/// Tests examine a hundred thousand copies of one disk, each of which differs in a few sectors.
struct PagedBytes: Sendable {
  private(set) var count = 0
  private var pages: [[UInt8]] = []

  private static let pageByteCount = 4096

  init() {}

  /// The contents of a range that was never written.
  enum Filling: Sendable, Hashable {
    case zeros
    /// The previous contents of the sectors: never zero, and different from byte to byte, so that no reader mistakes
    /// them for valid data.
    case garbage

    /// A page of the filling.
    fileprivate var page: [UInt8] { self == .zeros ? Self.zeroPage : Self.garbagePage }

    private static let zeroPage = [UInt8](repeating: 0, count: pageByteCount)
    private static let garbagePage = (0..<pageByteCount).map { UInt8(($0 * 167 + 89) % 255 + 1) }
  }

  /// Cuts the bytes to `newCount`, or lengthens them.
  mutating func resize(to newCount: Int, filling: Filling = .zeros) {
    let pageCount = (newCount + Self.pageByteCount - 1) / Self.pageByteCount
    if newCount > count {
      // The last page may still contain bytes that were cut off earlier.
      fill(count..<min(newCount, pages.count * Self.pageByteCount), with: filling)
    }
    if pageCount < pages.count {
      pages.removeLast(pages.count - pageCount)
    } else {
      pages.append(contentsOf: repeatElement(filling.page, count: pageCount - pages.count))
    }
    count = newCount
  }

  /// Overwrites a range with the filling: zeros or garbage.
  mutating func fill(_ range: Range<Int>, with filling: Filling) {
    var position = range.lowerBound
    while position < range.upperBound {
      let (page, start) = position.quotientAndRemainder(dividingBy: Self.pageByteCount)
      let length = min(range.upperBound - position, Self.pageByteCount - start)
      pages[page].replace(at: start, with: filling.page[start..<start + length])
      position += length
    }
  }

  /// Writes the bytes. If they begin beyond the end, zeros fill the gap.
  mutating func write(_ bytes: ArraySlice<UInt8>, at offset: Int) {
    if offset + bytes.count > count { resize(to: offset + bytes.count) }
    var rest = bytes
    var position = offset
    while !rest.isEmpty {
      let (page, start) = position.quotientAndRemainder(dividingBy: Self.pageByteCount)
      let piece = rest.prefix(Self.pageByteCount - start)
      pages[page].replace(at: start, with: piece)
      rest = rest.dropFirst(piece.count)
      position += piece.count
    }
  }

  /// Copies the available bytes at `offset` into the buffer, and returns their number.
  func read(into buffer: inout MutableRawSpan, at offset: Int) -> Int {
    let total = min(buffer.byteCount, max(0, count - offset))
    var done = 0
    while done < total {
      let (page, start) = (offset + done).quotientAndRemainder(dividingBy: Self.pageByteCount)
      let length = min(total - done, Self.pageByteCount - start)
      // SAFETY: Both ranges lie within their memory: the page's by `length`, the buffer's because
      // `total` is at most its size.
      unsafe buffer.withUnsafeMutableBytes { target in
        unsafe pages[page].withUnsafeBytes { source in
          unsafe UnsafeMutableRawBufferPointer(rebasing: target[done..<done + length])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[start..<start + length]))
        }
      }
      done += length
    }
    return total
  }
}

extension [UInt8] {
  /// Overwrites bytes in place, with a single copy of memory even without the optimizer.
  fileprivate mutating func replace(at index: Int, with bytes: ArraySlice<UInt8>) {
    precondition(index + bytes.count <= count, "A piece must stay within its page.")
    // SAFETY: The precondition bounds the copy.
    unsafe withUnsafeMutableBytes { target in
      unsafe bytes.withUnsafeBytes { source in
        unsafe UnsafeMutableRawBufferPointer(rebasing: target[index..<index + source.count])
          .copyMemory(from: source)
      }
    }
  }
}
