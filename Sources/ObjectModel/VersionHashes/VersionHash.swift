internal import Checksums

/// A hash that distinguishes the versions of an entity or a property: 32 bytes over everything that affects the
/// storage of its objects (spec §2.4).
///
///     let hash = model.versionHash(of: "Stop")
///     print(hash!)        // 64 hexadecimal digits
///
/// Core Data computes the same bytes, and stores record them. So a store identifies the version of the model that
/// wrote it, for both Quire and Core Data.
public struct VersionHash: Sendable, Hashable, Comparable {
  let digest: Digest<32>

  init(_ digest: Digest<32>) { self.digest = digest }

  /// Creates the hash with the given bytes; `nil` if they are not 32 bytes.
  public init?(bytes: some Collection<UInt8>) {
    guard let digest = Digest<32>(bytes: bytes) else { return nil }
    self.digest = digest
  }

  /// Creates the hash with the given hexadecimal text; `nil` if the text is not 64 digits.
  public init?(hex: some StringProtocol) {
    guard let digest = Digest<32>(hex: hex) else { return nil }
    self.digest = digest
  }

  public var bytes: [UInt8] { digest.bytes }

  /// Compares hashes in the order of their texts.
  public static func < (left: VersionHash, right: VersionHash) -> Bool {
    left.digest < right.digest
  }
}

extension VersionHash: CustomStringConvertible {
  /// The bytes in hexadecimal: 64 digits.
  public var description: String { digest.description }
}
