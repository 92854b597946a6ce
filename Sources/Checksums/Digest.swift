internal import Foundation

/// What a hash function makes of its input: a fixed number of bytes.
///
///     let digest = SHA256.digest(of: Array("abc".utf8))
///     print(digest)               // ba7816bf 8f01cfea … without the spaces
///     digest.base64               // "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="
///
/// Comparing digests takes no care to hide where they differ. They guard against damage and name
/// contents; they are no secrets.
public struct Digest<let byteCount: Int>: Sendable {
  /// The bytes themselves.
  private var storage: InlineArray<byteCount, UInt8>

  /// The digest that `fill` writes, byte after byte.
  init(_ fill: (inout OutputSpan<UInt8>) -> Void) {
    storage = InlineArray(initializingWith: fill)
  }

  /// The digest with the given bytes; `nil` if their number is not ``byteCount``.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == byteCount else { return nil }
    self.init { output in
      // Most collections of bytes lie in one piece, which is looked at without asking for each.
      // SAFETY: The indices are the piece's own.
      let isCopied: Void? = bytes.withContiguousStorageIfAvailable { piece in
        for index in 0..<piece.count { output.append(unsafe piece[index]) }
      }
      if isCopied == nil { for byte in bytes { output.append(byte) } }
    }
  }

  /// The digest written in the given hexadecimal text, in either case; `nil` if it is none.
  public init?(hex: some StringProtocol) {
    guard let bytes = [UInt8](hex: hex) else { return nil }
    self.init(bytes: bytes)
  }

  /// The bytes.
  public var bytes: [UInt8] { storage.indices.map { storage[$0] } }

  /// The bytes, to look at in place.
  public var span: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { storage.span }
  }

  /// The bytes in base64.
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

  /// Orders digests as their hexadecimal forms sort.
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
