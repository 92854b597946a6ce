import BinaryStore
import Documents
import DurableFiles
import Foundation
import SpecVectors
import StoreInterface
import Testing

@Suite("Vectors of identities")
struct IdentityVectorTests {
  private static let vectors = try! SpecVector.all("identity", on: "7-document.md")
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../spec/vectors/rules").standardized.path

  @Test("A version has the identity that the vector tells", arguments: vectors)
  func identities(_ vector: SpecVector) throws {
    let name = try #require(vector["document"])
    let number = try #require(vector["version"].flatMap { Int64($0) })
    let document = try Document.open(
      "\(Self.folder)/\(name)",
      in: StorePlaces(StoreBackends([BinaryStoreBackend()]), on: RealDisk()),
      access: .readOnly)
    defer { try? document.close() }
    let identity = try VersionIdentity(ofVersion: number, of: document)
    #expect(identity.description == vector["identity"])
  }

  @Test("There are vectors")
  func complete() { #expect(Self.vectors.count >= 2) }
}
