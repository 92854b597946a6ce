// SAFETY: The memory lives as long as the object, and only the code that creates the memory writes to it.

/// A piece of memory that blocks and columns read from and keep alive. Its bytes never change once the memory is
/// shared.
///
/// The memory is aligned to 16 bytes. No reader may load a byte behind its end, not even to load a short value as a
/// word: the address sanitizer finds such a reader.
@safe
public final class BlockMemory: @unchecked Sendable {
  // Sendable: the bytes are written only by the creator of the memory, before the memory is shared.
  let start: UnsafeMutableRawPointer
  public let byteCount: Int

  /// Creates memory of the given size, whose bytes `fill` writes.
  ///
  /// - Precondition: The size is not negative.
  public init(
    byteCount: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void
  ) rethrows {
    precondition(byteCount >= 0, "The size of memory must not be negative.")
    // Empty memory has an address that may be read too. Other languages get it as the address of a buffer.
    unsafe start = UnsafeMutableRawPointer.allocate(byteCount: max(byteCount, 8), alignment: 16)
    self.byteCount = byteCount
    // SAFETY: At least eight bytes were allocated above.
    if byteCount == 0 { unsafe start.storeBytes(of: 0, as: UInt64.self) }
    try unsafe fill(UnsafeMutableRawBufferPointer(start: start, count: byteCount))
  }

  /// Creates a copy of the given bytes.
  public convenience init(_ bytes: some Collection<UInt8>) {
    unsafe self.init(byteCount: bytes.count) { unsafe $0.copyBytes(from: bytes) }
  }

  deinit {
    unsafe start.deallocate()
  }

  public var bytes: RawSpan {
    @_lifetime(borrow self) get {
      // SAFETY: The memory lives as long as `self`, which the span borrows.
      let span = unsafe RawSpan(_unsafeStart: start, byteCount: byteCount)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }
}

/// A source of a block's bytes: memory, a file, or a decompressor.
///
/// A block requests its header and directory when it is opened, and each column's bytes when the column is first
/// read. The block checks all bytes; a source is only responsible for returning the requested bytes.
public protocol BlockSource: AnyObject, Sendable {
  /// Returns the bytes at the given offsets from the block's start, in memory that the caller may keep.
  ///
  /// - Throws: The error of the medium. A block passes it on.
  func bytes(_ range: Range<Int>) throws -> BlockSlice

  /// The source of the values outside of the block; `nil` when no values lie outside.
  var outsideValues: (any OutsideValues)? { get }

  /// Throws if references of one column can't belong to values of this block.
  ///
  /// Called once, when the column is first read. A damaged reference is therefore found before its value is
  /// requested and before memory is allocated for the value.
  func check(_ references: [OutsideReference]) throws

  /// Returns the error that a caller gets for damage of a column. The error names the file, the entity and the
  /// property, which the block does not know.
  func explained(_ error: BlockError, in block: Block) -> any Error
}

extension BlockSource {
  /// No source: no values lie outside of the block.
  public var outsideValues: (any OutsideValues)? { nil }
  /// Accepts all references: a source without outside values has nothing to check.
  public func check(_ references: [OutsideReference]) throws {}
  public func explained(_ error: BlockError, in block: Block) -> any Error { error }
}

/// A range of the bytes of a ``BlockMemory``.
public struct BlockSlice: Sendable {
  /// The memory that contains the bytes.
  public let memory: BlockMemory
  /// The range of the bytes within the memory.
  public let range: Range<Int>

  /// Creates a slice of the given memory.
  ///
  /// - Precondition: `range` lies within the memory.
  public init(memory: BlockMemory, range: Range<Int>) {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= memory.byteCount,
      "The slice is outside of its memory.")
    self.memory = memory
    self.range = range
  }

  public var bytes: RawSpan {
    @_lifetime(borrow self) get { memory.bytes.extracting(range) }
  }

  /// Creates a slice of all bytes of the given memory.
  public init(_ memory: BlockMemory) { self.init(memory: memory, range: 0..<memory.byteCount) }

  /// Returns a slice of the first `byteCount` bytes.
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
  /// Returns the given bytes of this memory, shared and not copied.
  public func bytes(_ range: Range<Int>) throws -> BlockSlice {
    guard range.upperBound <= byteCount else {
      throw BlockError.truncated(needed: range.upperBound, available: byteCount)
    }
    return BlockSlice(memory: self, range: range)
  }
}
