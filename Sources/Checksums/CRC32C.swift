internal import CChecksums

/// The 32-bit cyclic redundancy check with Castagnoli's polynomial, as in iSCSI: what guards blocks
/// against damage.
///
///     CRC32C.checksum(of: Array("123456789".utf8))      // 0xE306_9283
///
///     var crc = CRC32C()
///     crc.update(header)
///     crc.update(body)
///     print(crc.value)
///
/// Uses the processor's own instruction where it has one. Against malice it is no defence: anyone
/// can make bytes to fit a checksum.
public struct CRC32C: Sendable {
  /// The remainder so far, before the final inversion.
  private var register: UInt32 = ~0

  /// The checksum of no bytes yet.
  public init() {}

  /// The checksum of all bytes so far.
  public var value: UInt32 { ~register }

  /// Goes on over more bytes.
  public mutating func update(_ bytes: RawSpan) {
    register = Path.fastest.advance(register, over: bytes)
  }

  /// The checksum of the given bytes.
  public static func checksum(of bytes: RawSpan) -> UInt32 {
    var crc = CRC32C()
    crc.update(bytes)
    return crc.value
  }
}

extension CRC32C {
  /// The ways to compute the checksum. All give the same; the fastest this processor has is used.
  enum Path: CaseIterable {
    /// The instruction, on three runs of the input at a time.
    case threeStreams
    /// The instruction, byte after byte.
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

    /// The register after more bytes.
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
