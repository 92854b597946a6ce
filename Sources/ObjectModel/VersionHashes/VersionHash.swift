internal import Checksums

/// What tells one version of an entity or a property from another: 32 bytes over all that affects
/// how its objects are stored (spec §2.4).
///
///     let hash = model.versionHash(of: "Stop")
///     print(hash!)        // 64 hexadecimal digits
///
/// The same bytes that Core Data computes and stores record, so a store tells which version of a
/// model wrote it, whoever wrote it.
public struct VersionHash: Sendable, Hashable, Comparable {
  let digest: Digest<32>

  init(_ digest: Digest<32>) { self.digest = digest }

  /// The hash with the given bytes; `nil` if they are not 32.
  public init?(bytes: some Collection<UInt8>) {
    guard let digest = Digest<32>(bytes: bytes) else { return nil }
    self.digest = digest
  }

  /// The hash with the given hexadecimal text; `nil` if it is not 64 digits.
  public init?(hex: some StringProtocol) {
    guard let digest = Digest<32>(hex: hex) else { return nil }
    self.digest = digest
  }

  /// The 32 bytes.
  public var bytes: [UInt8] { digest.bytes }

  /// Orders hashes as their texts sort.
  public static func < (left: VersionHash, right: VersionHash) -> Bool {
    left.digest < right.digest
  }
}

extension VersionHash: CustomStringConvertible {
  /// The bytes in hexadecimal: 64 digits.
  public var description: String { digest.description }
}
