// SAFETY: The memory lives as long as the object, and nobody but its maker writes it.

/// A piece of memory that blocks and columns read from and keep alive. Its bytes never change once
/// it is shared.
///
/// Aligned to 16 bytes, with 8 readable bytes behind its end, so that a short value can be loaded
/// as a word.
@safe
public final class BlockMemory: @unchecked Sendable {
  // Sendable: the bytes are written only by whoever made the memory, before anybody else has it.
  let start: UnsafeMutableRawPointer
  /// The number of bytes.
  public let byteCount: Int

  /// New memory of the given size, whose bytes `fill` writes.
  public init(
    byteCount: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void
  ) rethrows {
    unsafe start = UnsafeMutableRawPointer.allocate(byteCount: byteCount + 8, alignment: 16)
    self.byteCount = byteCount
    // SAFETY: The 8 bytes behind the end were allocated above.
    unsafe start.storeBytes(of: 0, toByteOffset: byteCount, as: UInt64.self)
    try unsafe fill(UnsafeMutableRawBufferPointer(start: start, count: byteCount))
  }

  /// A copy of the given bytes.
  public convenience init(_ bytes: some Collection<UInt8>) {
    unsafe self.init(byteCount: bytes.count) { unsafe $0.copyBytes(from: bytes) }
  }

  deinit {
    unsafe start.deallocate()
  }

  /// The bytes, in place.
  public var bytes: RawSpan {
    @_lifetime(borrow self) get {
      // SAFETY: The memory lives as long as `self`, which the span borrows.
      let span = unsafe RawSpan(_unsafeStart: start, byteCount: byteCount)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }
}

/// Where the bytes of a block are: in memory, in a file, behind a decompressor.
///
/// A block asks for its header and directory at once, and for each column's bytes when the column
/// is first read. It checks what it gets; a source answers only for giving the bytes asked for.
public protocol BlockSource: AnyObject, Sendable {
  /// The bytes at the given offsets from the block's start, in memory the caller may keep.
  ///
  /// - Throws: What the medium says when it can't be read. A block passes it on.
  func bytes(_ range: Range<Int>) throws -> BlockSlice

  /// Where the values are that lie outside of the block; `nil` when there are none.
  var outsideValues: (any OutsideValues)? { get }

  /// Refuses references of one column that can't be to values of this block.
  ///
  /// Called once, when the column is first read: a damaged reference shows before anybody asks for its
  /// value, and before memory is taken for it.
  func check(_ references: [OutsideReference]) throws

  /// Returns the error that a caller gets for damage of a column: it names the file, the entity and the
  /// property, which the block does not know.
  func explained(_ error: BlockError, in block: Block) -> any Error
}

extension BlockSource {
  /// None.
  public var outsideValues: (any OutsideValues)? { nil }
  /// Whoever has no values outside has nothing to check.
  public func check(_ references: [OutsideReference]) throws {}
  /// Returns the error as it is.
  public func explained(_ error: BlockError, in block: Block) -> any Error { error }
}

/// Some bytes of a ``BlockMemory``.
public struct BlockSlice: Sendable {
  /// The memory that holds the bytes.
  public let memory: BlockMemory
  /// Where they are in it.
  public let range: Range<Int>

  /// The given bytes of the given memory.
  ///
  /// - Precondition: `range` lies within the memory.
  public init(memory: BlockMemory, range: Range<Int>) {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= memory.byteCount,
      "A slice lies within its memory.")
    self.memory = memory
    self.range = range
  }

  /// The bytes, in place.
  public var bytes: RawSpan {
    @_lifetime(borrow self) get { memory.bytes.extracting(range) }
  }

  /// All bytes of the given memory.
  public init(_ memory: BlockMemory) { self.init(memory: memory, range: 0..<memory.byteCount) }

  /// The first so many bytes.
  func prefix(_ byteCount: Int) -> BlockSlice {
    BlockSlice(memory: memory, range: range.lowerBound..<range.lowerBound + byteCount)
  }

  // SAFETY for both: the initializer checked that the range lies within the memory.
  @unsafe var start: UnsafeRawPointer { unsafe UnsafeRawPointer(memory.start) + range.lowerBound }
  @unsafe var buffer: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: start, count: range.count)
  }
}

extension BlockMemory: BlockSource {
  /// The given bytes of this memory, shared and not copied.
  public func bytes(_ range: Range<Int>) throws -> BlockSlice {
    guard range.upperBound <= byteCount else {
      throw BlockError.truncated(needed: range.upperBound, available: byteCount)
    }
    return BlockSlice(memory: self, range: range)
  }
}
