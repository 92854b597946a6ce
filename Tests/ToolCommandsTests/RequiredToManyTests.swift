import Foundation
import Testing

@testable import ToolCommands

/// Required to-many relationships: the least count is the rule, and it may be 0 (spec §6.3.5).
@Suite("Required to-many relationships")
struct RequiredToManyTests {
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "required-\(UUID().uuidString)")

    /// Writes two versions of a model with a least count of a team's members.
    ///
    /// - Parameter later: The least count of the second version.
    init(least: Int, later: Int? = nil) throws {
      for version in 1...2 {
        let count = version == 2 ? later ?? least : least
        let folder = url.appending(path: "Teams.xcdatamodeld/\(version).xcdatamodel")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let note =
          version == 1
          ? ""
          : """
          <attribute name="note" optional="YES" attributeType="String"/>
          <relationship name="guests" toMany="YES" destinationEntity="Person"/>
          """
        try Data(
          """
          <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
          <entity name="Team"><attribute name="name" optional="YES" attributeType="String"/>\(note)
          <relationship name="members" toMany="YES" minCount="\(count)" destinationEntity="Person" \
          inverseName="team" inverseEntity="Person"/></entity>
          <entity name="Person"><attribute name="name" optional="YES" attributeType="String"/>
          <relationship name="team" optional="YES" maxCount="1" destinationEntity="Team" \
          inverseName="members" inverseEntity="Team"/></entity>
          </model>
          """.utf8
        ).write(to: folder.appending(path: "contents"))
      }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    var models: String { url.appending(path: "Teams.xcdatamodeld").path }
    var document: String { url.appending(path: "Teams.quire").path }

    func write(_ text: String) throws -> String {
      let file = url.appending(path: "objects.jsonl")
      try Data(text.utf8).write(to: file)
      return file.path
    }

    func run(_ words: String...) -> RecordedRun { quire(words) }
  }

  @Test("A required to-many relationship with the least count 0 may be empty in each command")
  func empty() throws {
    let folder = try Folder(least: 0)
    let one = folder.url.appending(path: "Teams.xcdatamodeld/1.xcdatamodel").path
    let document = folder.document
    #expect(folder.run("new", document, "--model", one).exitCode == .done)
    let file = try folder.write(
      """
      {"@entity":"Team","@id":"a","name":"imported"}
      {"@entity":"Person","@id":"b","name":"Ada","team":"a"}

      """)

    for words in [
      ["insert", document, "Team", "name=inserted"],
      ["set", document, "Team", "name=edited", "--where", "name == 'inserted'"],
      ["import", document, file], ["import", document, file, "--batch", "1"],
      ["delete", document, "Person", "--where", "name == 'Ada'"],
      ["migrate", document, "--model", folder.models, "--to", "2"],
    ] {
      let run = quire(words)
      #expect(run.exitCode == .done, "\(words) \(run.messages)")
    }
    let report = folder.run("validate", document)
    #expect(report.exitCode == .done && report.output.contains("valid;"), "\(report.output)")
    #expect(folder.run("count", document, "Team").output == "3\n")
  }

  @Test("A required to-many relationship with the least count 1 may not be empty")
  func least() throws {
    let folder = try Folder(least: 1)
    let one = folder.url.appending(path: "Teams.xcdatamodeld/1.xcdatamodel").path
    #expect(folder.run("new", folder.document, "--model", one).exitCode == .done)
    let file = try folder.write("{\"@entity\":\"Team\",\"@id\":\"a\",\"name\":\"imported\"}\n")

    let inserted = folder.run("insert", folder.document, "Team", "name=inserted")
    let imported = folder.run("import", folder.document, file)

    #expect(inserted.exitCode != .done && inserted.messages.contains("at least 1"))
    #expect(imported.exitCode != .done && imported.messages.contains("at least 1"))
  }

  @Test("A migration that raises the least count names the objects that have fewer")
  func migration() throws {
    let folder = try Folder(least: 0, later: 1)
    let one = folder.url.appending(path: "Teams.xcdatamodeld/1.xcdatamodel").path
    #expect(folder.run("new", folder.document, "--model", one).exitCode == .done)
    #expect(folder.run("insert", folder.document, "Team", "name=empty").exitCode == .done)

    let run = folder.run("migrate", folder.document, "--model", folder.models, "--to", "2")

    #expect(run.exitCode != .done)
    #expect((run.messages + run.output).contains("at least 1"), "\(run.messages) \(run.output)")
  }
}
