import Foundation
import SeededRandom
import Testing

@testable import Checksums

@Suite("SHA-256 and SHA-512")
struct HashFunctionTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    var sha256: String
    var sha512: String
    var testDescription: String { name }
  }

  /// NIST's short examples and long example for FIPS 180-4.
  static let published = [
    Vector(
      name: "nothing", bytes: [],
      sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      sha512: """
        cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce\
        47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e
        """),
    Vector(
      name: "abc", bytes: Array("abc".utf8),
      sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      sha512: """
        ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
        2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f
        """),
    Vector(
      name: "two blocks of SHA-256",
      bytes: Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
      sha256: "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
      sha512: """
        204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c335\
        96fd15c13b1b07f9aa1d3bea57789ca031ad85c7a71dd70354ec631238ca3445
        """),
    Vector(
      name: "two blocks of SHA-512",
      bytes: Array(
        """
        abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn\
        hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu
        """.utf8),
      sha256: "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
      sha512: """
        8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018\
        501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909
        """),
    Vector(
      name: "a million times a", bytes: [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000),
      sha256: "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
      sha512: """
        e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb\
        de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b
        """),
  ]

  @Test("The published digests are computed", arguments: published)
  func publishedVectors(_ vector: Vector) {
    #expect(SHA256.digest(of: vector.bytes).description == vector.sha256)
    #expect(SHA512.digest(of: Data(vector.bytes)).description == vector.sha512)
  }

  /// The digests of inputs of every length up to 300 bytes are hashed in turn. Another implementation (Python's hashlib)
  /// computed the expected values.
  @Test("Inputs of every length are padded correctly")
  func lengths() {
    var of256 = SHA256()
    var of512 = SHA512()
    for length in 0...300 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
      of256.update(SHA256.digest(of: bytes).bytes)
      of512.update(SHA512.digest(of: bytes).bytes)
    }
    let expected256 = "ddbdb189f5834c274dbe603d6d2874adf7234fd8a075c3d1bfbadc2107a75676"
    let expected512 = "d7ff5323ebbef9438546b104939504d6846f067dc41a135152e616e5fb701a72"
    #expect(of256.digest().description == expected256)
    #expect(of512.digest().description.prefix(64) == expected512)
  }

  @Test("Input in pieces has the digest of the whole, and a digest can be read at any point")
  func pieces() {
    var random = SeededGenerator()
    let bytes = (0..<5_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    var short = SHA256()
    var long = SHA512()
    var next = 0
    while next < bytes.count {
      let end = min(bytes.count, next + Int.random(in: 0...200, using: &random))
      short.update(Array(bytes[next..<end]))
      long.update(Array(bytes[next..<end]))
      next = end
      #expect(short.digest() == SHA256.digest(of: Array(bytes[..<next])), "\(random)")
      #expect(long.digest() == SHA512.digest(of: Array(bytes[..<next])), "\(random)")
    }
  }

  @Test("A digest reads back from its own text, and other texts are refused")
  func digestText() throws {
    let digest = SHA256.digest(of: Array("abc".utf8))

    #expect(digest.base64 == "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
    #expect(Digest<32>(hex: digest.description) == digest)
    #expect(Digest<32>(hex: digest.description.uppercased()) == digest)
    #expect(Digest<32>(bytes: digest.bytes) == digest)
    #expect(Digest<32>(hex: digest.description.dropLast()) == nil)
    #expect(Digest<32>(hex: digest.description.dropLast(2)) == nil)
    #expect(Digest<32>(hex: "g" + digest.description.dropFirst()) == nil)
    #expect(Digest<64>(bytes: digest.bytes) == nil)
    let other = try #require(Digest<32>(hex: "bb" + digest.description.dropFirst(2)))
    #expect(digest < other && !(other < digest) && digest != other)
  }
}
