internal import Foundation

/// The result of a hash function: a fixed number of bytes.
///
///     let digest = SHA256.digest(of: Array("abc".utf8))
///     print(digest)               // ba7816bf 8f01cfea … without the spaces
///     digest.base64               // "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="
///
/// The time of a comparison may reveal the position of the first difference. This is acceptable because digests are
/// not secret: they detect damage and name contents.
public struct Digest<let byteCount: Int>: Sendable {
  private var storage: InlineArray<byteCount, UInt8>

  /// Creates the digest with the bytes that `fill` writes.
  init(_ fill: (inout OutputSpan<UInt8>) -> Void) {
    storage = InlineArray(initializingWith: fill)
  }

  /// Creates the digest with the words of a hash function's state, as big-endian bytes.
  init<Word: FixedWidthInteger>(_ state: InlineArray<8, Word>) {
    self.init { output in
      for index in state.indices {
        for shift in stride(from: Word.bitWidth - 8, through: 0, by: -8) {
          output.append(UInt8(truncatingIfNeeded: state[index] >> Word(shift)))
        }
      }
    }
  }

  /// Creates the digest with the given bytes; `nil` if their number is not ``byteCount``.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == byteCount else { return nil }
    self.init { output in
      // Most collections of bytes are contiguous, so their bytes are read without a call for each.
      // SAFETY: The indices are the piece's own.
      let isCopied: Void? = bytes.withContiguousStorageIfAvailable { piece in
        for index in 0..<piece.count { output.append(unsafe piece[index]) }
      }
      if isCopied == nil { for byte in bytes { output.append(byte) } }
    }
  }

  /// Creates the digest from hexadecimal text, in either case; `nil` if the text is not a digest.
  public init?(hex: some StringProtocol) {
    guard let bytes = [UInt8](hex: hex), bytes.count == byteCount else { return nil }
    self.init { output in for byte in bytes { output.append(byte) } }
  }

  public var bytes: [UInt8] { storage.indices.map { storage[$0] } }

  /// The bytes in place, without a copy.
  public var span: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { storage.span }
  }

  public var base64: String { Data(bytes).base64EncodedString() }
}

extension Digest: CustomStringConvertible {
  /// The bytes in lower-case hexadecimal.
  public var description: String { bytes.hex }
}

extension Digest: Hashable, Comparable {
  /// Whether all bytes are the same.
  public static func == (left: Digest, right: Digest) -> Bool {
    left.storage.indices.allSatisfy { left.storage[$0] == right.storage[$0] }
  }

  /// Whether a digest sorts before another one, in the order of their hexadecimal forms.
  public static func < (left: Digest, right: Digest) -> Bool {
    for index in left.storage.indices where left.storage[index] != right.storage[index] {
      return left.storage[index] < right.storage[index]
    }
    return false
  }

  /// Feeds the bytes into the hasher.
  public func hash(into hasher: inout Hasher) {
    for index in storage.indices { hasher.combine(storage[index]) }
  }
}
