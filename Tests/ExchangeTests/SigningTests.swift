import DocumentExchange
import Documents
import DurableFiles
import Foundation
import ObjectModel
import Quire
import QuireTools
import StoreInterface
import Testing

private let hasKeygen = ["/usr/bin", "/usr/local/bin", "/bin"].contains {
  FileManager.default.isExecutableFile(atPath: "\($0)/ssh-keygen")
}

/// Packs with signatures of `ssh-keygen`.
@Suite("Signed packs", .enabled(if: hasKeygen, "ssh-keygen is not installed."))
struct SigningTests {
  private let folder: String
  private let places = StorePlaces(.builtIn, on: RealDisk())

  init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/signing-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: folder + "/share", withIntermediateDirectories: true)
    for name in ["ada", "eve"] {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = [
        "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder + "/\(name)",
      ]
      try process.run()
      process.waitUntilExit()
    }
    let key = try String(contentsOfFile: folder + "/ada.pub", encoding: .utf8)
    try "ada@example.org \(key)".write(
      toFile: folder + "/signers", atomically: true, encoding: .utf8)
  }

  private func signing(_ name: String) -> Exchange.Signing {
    Exchange.Signing(key: folder + "/\(name)", signers: folder + "/signers")
  }

  private func sync(_ name: String) throws -> ExchangeReport {
    let document = try Document.open("\(folder)/\(name).quire", in: places, access: .shared)
    defer { try? document.close() }
    return try Exchange(document).sync()
  }

  private func save(_ name: String) throws {
    let document = try Document.open("\(folder)/\(name).quire", in: places)
    defer { try? document.close() }
    let context = try ReplicaWorld.context(document)
    try context.insert("Note").setValue(.integer(1), forKey: "id")
    try context.save()
  }

  @Test("Only packs of trusted signers are taken in")
  func trust() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let model = try Model(entities: [ReplicaWorld.note, ReplicaWorld.list, ReplicaWorld.tag])
    let document = try Document.create(folder + "/a.quire", model: model, in: places)
    try document.addRemote(named: "origin", at: folder + "/share", signing: signing("ada"))
    try document.close()
    try save("a")
    #expect(try sync("a").sent.count == 1)
    try Exchange.clone(
      folder + "/share", to: folder + "/b.quire", in: places, signing: signing("ada"))
    try save("b")
    #expect(try sync("b").sent.count == 1)
    #expect(try sync("a").received.count == 1)

    // A foreign key, and no signature at all.
    for signing in [signing("eve"), nil] {
      let name = signing == nil ? "d" : "c"
      try Exchange.clone(
        folder + "/share", to: "\(folder)/\(name).quire", in: places, signing: self.signing("ada"))
      let other = try Document.open("\(folder)/\(name).quire", in: places, access: .shared)
      try other.removeRemote(named: "origin")
      try other.addRemote(named: "origin", at: folder + "/share", signing: signing)
      try other.close()
      try save(name)
      #expect(try !sync(name).sent.isEmpty)
    }
    let report = try sync("a")
    #expect(report.received.isEmpty && report.skipped.count == 2, "\(report.skipped)")
    #expect(
      Set(report.skipped.map { $0.reason.prefix(14) }) == ["is not signed ", "is not signed."])
    #expect(throws: ExchangeError.self) {
      let document = try Document.open(folder + "/a.quire", in: places, access: .shared)
      defer { try? document.close() }
      try document.removeRemote(named: "origin")
      try document.addRemote(
        named: "origin", at: folder + "/share",
        signing: Exchange.Signing(key: folder + "/none", signers: folder + "/signers"))
      let context = try ReplicaWorld.context(document)
      try context.insert("Note").setValue(.integer(2), forKey: "id")
      try context.save()
      _ = try Exchange(document).sync()
    }
  }
}
