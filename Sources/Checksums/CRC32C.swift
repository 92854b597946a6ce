internal import CChecksums

/// The 32-bit cyclic redundancy check with Castagnoli's polynomial, as in iSCSI. It detects damage of blocks.
///
///     CRC32C.checksum(of: Array("123456789".utf8))      // 0xE306_9283
///
///     var crc = CRC32C()
///     crc.update(header)
///     crc.update(body)
///     print(crc.value)
///
/// The checksum uses the processor's own instruction if there is one. It does not protect against attacks, because
/// bytes can be made to fit any checksum.
public struct CRC32C: Sendable {
  /// The remainder so far, before the final inversion.
  private var register: UInt32 = ~0

  /// Creates the checksum of no bytes.
  public init() {}

  /// The checksum of all bytes so far.
  public var value: UInt32 { ~register }

  /// Adds more bytes to the checksum.
  public mutating func update(_ bytes: RawSpan) {
    register = Path.fastest.advance(register, over: bytes)
  }

  /// Returns the checksum of the given bytes.
  public static func checksum(of bytes: RawSpan) -> UInt32 {
    var crc = CRC32C()
    crc.update(bytes)
    return crc.value
  }
}

extension CRC32C {
  /// Returns the bit that must be changed to give the bytes an expected checksum, or `nil` if changing a single bit is not
  /// enough. Bit 0 is the lowest bit of the first byte, and bit 8 the lowest bit of the second.
  ///
  /// Use it to mend a section in which a single bit has changed. Bytes with any other damage have such a bit by chance
  /// with a probability of `bits / 2^32`. Takes a few milliseconds for a megabyte.
  public static func wrongBit(in bytes: RawSpan, expecting expected: UInt32) -> Int? {
    // The checksum is linear, so the difference depends on the place of the bit alone.
    let difference = checksum(of: bytes) ^ expected
    var effect: UInt32 = 0x82F6_3B78
    for distance in 0..<8 * bytes.byteCount {
      if effect == difference {
        return 8 * (bytes.byteCount - 1 - distance / 8) + 7 - distance % 8
      }
      effect = effect >> 1 ^ (effect & 1 == 0 ? 0 : 0x82F6_3B78)
    }
    return nil
  }

  /// The implementations of the checksum, the fastest first. All give the same result.
  enum Path: CaseIterable {
    /// The processor's instruction, on three parts of the input at a time.
    case threeStreams
    /// The processor's instruction, on one part of the input.
    case oneStream
    /// Tables, for processors without the instruction.
    case tables

    static let available: [Path] = allCases.filter(\.isAvailable)
    static let fastest = available[0]

    private var isAvailable: Bool {
      switch self {
      case .threeStreams: quire_crc32c_joins_streams()
      case .oneStream: quire_crc32c_is_accelerated()
      case .tables: true
      }
    }

    /// Returns the register after more bytes.
    func advance(_ register: UInt32, over bytes: RawSpan) -> UInt32 {
      switch self {
      case .threeStreams:
        // SAFETY: The pointer and the count are those of one buffer, alive during the call, which
        // only reads. `available` has let this path through, so the instructions exist.
        unsafe bytes.withUnsafeBytes {
          unsafe quire_crc32c_three_streams(register, $0.baseAddress, $0.count)
        }
      case .oneStream:
        // SAFETY: As above.
        unsafe bytes.withUnsafeBytes {
          unsafe quire_crc32c_one_stream(register, $0.baseAddress, $0.count)
        }
      case .tables:
        CRC32C.slicingBy8(register, bytes)
      }
    }
  }
}
