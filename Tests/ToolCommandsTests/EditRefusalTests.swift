import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import Quire
import StoreInterface
import Testing

@testable import ToolCommands

/// Refusals of insert, set and delete, in a model with one property of each kind that can't be set.
@Suite("Refusals of quire insert, set and delete")
struct EditRefusalTests {
  private let disk = SimulatedDisk()

  init() throws {
    let model = try Model(
      Model.Description(
        entities: [
          Entity(
            "Party", isAbstract: true,
            properties: [
              .attribute(Attribute("name", .string)),
              .attribute(
                Attribute("folded", .string, derivation: .init("canonical:(name)"))),
              .attribute(Attribute("draft", .string, isTransient: true)),
              .attribute(Attribute("address", .composite, compositeName: "Address")),
            ],
            uniquenessConstraints: [["name"]]),
          Entity(
            "Club", superentity: "Party",
            properties: [
              .relationship(
                Relationship(
                  "members", to: "Person", inverse: "club", count: .toMany, deleteRule: .deny))
            ]),
          Entity(
            "Person", superentity: "Party",
            properties: [
              .relationship(Relationship("club", to: "Club", inverse: "members")),
              .fetched(
                FetchedProperty(
                  "namesakes",
                  request: FetchRequestTemplate(
                    "namesakes", entity: "Person", predicate: "name == $FETCH_SOURCE.name"))),
            ]),
        ],
        composites: [CompositeType("Address", attributes: [Attribute("city", .string)])]))
    try BinaryStoreBackend().create(
      at: "/People.store", model: model, on: disk, StoreCreation()
    ).close()
  }

  private func run(_ words: String...) -> RecordedRun { run(words) }

  private func run(_ words: [String]) -> RecordedRun {
    RecordedRun(words, tool: .editing(.files(on: disk)))
  }

  private func inserted(_ entity: String, _ word: String) -> String {
    run("insert", "/People.store", entity, word).output.trimmingCharacters(in: .newlines)
  }

  private func count(_ entity: String) -> String {
    run("count", "/People.store", entity).output.trimmingCharacters(in: .newlines)
  }

  @Test("No object of an abstract entity can be inserted")
  func abstract() {
    let bad = run("insert", "/People.store", "Party", "name=Ada")
    #expect(bad.exitCode != .done && bad.messages.contains("abstract"), "\(bad.messages)")
    #expect(count("Party") == "0")
  }

  @Test(
    "Derived, composite, fetched and transient properties can't be set")
  func properties() {
    let id = inserted("Person", "name=Ada")
    for (word, part) in [
      ("folded=ada", "is derived"), ("address=Faro", "has several parts"),
      ("address.street=x", "is not an attribute"), ("namesakes=\(id)", "is fetched"),
      ("draft=x", "is transient"), ("club=\(id),\(id)", "refers to one object"),
      ("club+=\(id)", "refers to one object"),
    ] {
      let bad = run("set", "/People.store", "Person", "--id", id, "name=Bo", word)
      #expect(bad.exitCode == .wrongUsage, "\(word): \(bad.messages)")
      #expect(bad.messages.contains(part), "\(word): \(bad.messages)")
    }
    #expect(
      count("Person") == "1"
        && run(
          "count", "/People.store", "Person", "--where", "name == 'Ada' AND folded == 'ada'"
        ).output == "1\n")
  }

  @Test("An identifier of another entity's object, or of no object, is refused")
  func targets() {
    let (ada, club) = (inserted("Person", "name=Ada"), inserted("Club", "name=Rowing"))
    for (word, part) in [
      ("club=\(ada)", "is not an object of 'Club'"), ("club=9/p9", "is not an object of 'Club'"),
      ("club=\(club)9", "does not exist"),
    ] {
      let bad = run("set", "/People.store", "Person", "--id", ada, word)
      #expect(bad.exitCode == .no, "\(word): \(bad.messages)")
      #expect(bad.messages.contains(part), "\(word): \(bad.messages)")
    }
  }

  @Test("A command takes identifiers of objects or a predicate, and not both")
  func both() {
    let id = inserted("Person", "name=Ada")
    for words in [["set", "name=Bo"], ["delete"]] {
      let bad = run(
        [words[0], "/People.store", "Person", "--id", id, "--where", "TRUEPREDICATE"]
          + words.dropFirst())
      #expect(
        bad.exitCode == .wrongUsage && bad.messages.contains("either --id or"), "\(bad.messages)")
    }
    #expect(count("Person") == "1")
  }

  @Test("A deletion that a delete rule denies deletes nothing, also in a dry run")
  func denied() {
    let club = inserted("Club", "name=Rowing")
    let person = inserted("Person", "name=Ada")
    #expect(run("set", "/People.store", "Person", "--id", person, "club=\(club)").exitCode == .done)

    for words in [[], ["--dry-run"]] as [[String]] {
      let bad = run(["delete", "/People.store", "Club", "--id", club] + words)
      #expect(bad.exitCode == .no && bad.messages.contains("members"), "\(bad.messages)")
    }
    #expect(count("Club") == "1")
    #expect(run("delete", "/People.store", "Person", "--id", person).exitCode == .done)
    #expect(run("delete", "/People.store", "Club", "--id", club).exitCode == .done)
    #expect(count("Party") == "0")
  }

  @Test("An object with a unique value of another object is not inserted, also in a dry run")
  func uniqueness() {
    _ = inserted("Person", "name=Ada")

    for words in [[], ["--dry-run"]] as [[String]] {
      let bad = run(["insert", "/People.store", "Club", "name=Ada"] + words)
      #expect(bad.exitCode != .done && bad.messages.contains("name"), "\(bad.messages)")
    }
    #expect(count("Party") == "1")
  }

  @Test("A missing file and a read-only file are named in the error")
  func files() throws {
    let missing = run("insert", "/None.store", "Person", "name=Ada")
    #expect(missing.exitCode == .inputOutput && missing.messages.contains("/None.store"))

    let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "refusals-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "People.store").path
    try disk.read("/People.store", byteLimit: 1 << 20).withUnsafeBytes {
      try Data($0).write(to: URL(filePath: path))
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
    // The superuser may write to the file in spite of its permissions.
    guard getuid() != 0 else { return }
    let closed = RecordedRun(
      ["insert", path, "Person", "name=Ada"], tool: .editing(.files(on: RealDisk())))
    #expect(closed.exitCode == .inputOutput && closed.messages.contains(path), "\(closed.messages)")
  }
}
