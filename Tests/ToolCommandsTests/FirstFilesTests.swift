import CommandInterface
import Foundation
import InstalledPlugins
import Testing

@testable import ToolCommands

/// The files of version 0.1.0, which every later version reads (docs/versions.md). `Tests/FirstFiles/make.sh` made them.
@Suite("The first files of each format")
struct FirstFilesTests {
  private static let folder = InstalledPlugins.root.appending(path: "Tests/FirstFiles")

  private func path(_ name: String) -> String {
    Self.folder.appending(path: name).path(percentEncoded: false)
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
  }

  @Test(
    "Stores and a packed document have their objects, to the letter",
    arguments: [
      ("First.Binary", "First.jsonl"), ("First.CompressedBinary", "First.jsonl"),
      ("First.zip", "First.jsonl"), ("First.zip@draft", "First.draft.jsonl"),
      ("First.zip@early", "First.early.jsonl"),
    ])
  func objects(_ file: String, _ expected: String) throws {
    let run = quire(["export", path(file), "--format", "jsonl"])

    #expect(run.exitCode == .done, "\(run.messages)")
    #expect(run.output == (try text(expected)))
  }

  @Test("An XML store has the same objects, with identifiers of its own")
  func xml() {
    let run = quire(["diff", path("First.zip"), path("First.XML"), "--key", "title"])

    #expect(run.exitCode == .done, "\(run.messages)")
    #expect(run.output == "No differences.\n")
  }

  @Test(
    "Each file is valid",
    arguments: ["First.Binary", "First.CompressedBinary", "First.XML", "First.zip"])
  func valid(_ file: String) {
    let run = quire(["validate", path(file)])

    #expect(run.exitCode == .done, "\(run.output)\(run.messages)")
  }

  @Test("A packed document has its versions, the name of one, a second head and an attachment")
  func document() throws {
    let history = quire(["history", path("First.zip")])
    let heads = quire(["branch", path("First.zip")])
    let folder = try ScaffoldFolder()
    let attachment = quire([
      "attach", "get", path("First.zip"), "picture.txt", "--output", folder.path + "/picture.txt",
    ])

    #expect(history.output.split(separator: "\n").count == 8)
    #expect(history.output.contains(#""early""#) && history.output.contains(#""One tag""#))
    #expect(heads.output.contains("draft"))
    #expect(attachment.exitCode == .done, "\(attachment.messages)")
    #expect(
      try String(contentsOfFile: folder.path + "/picture.txt", encoding: .utf8) == "a picture")
  }

  @Test("A patch turns the early version into the newest one")
  func patch() throws {
    let folder = try ScaffoldFolder()
    let (whole, early) = (folder.path + "/whole.quire", folder.path + "/early.quire")
    _ = quire(["unpack", path("First.zip"), whole])
    _ = quire(["save-as", whole + "@early", early])

    let merge = quire(["merge", "--patch", path("First.patch"), early, "--in-place"])
    let objects = quire(["export", early, "--format", "jsonl"])

    #expect(merge.exitCode == .done, "\(merge.messages)")
    #expect(objects.output == (try text("First.jsonl")))
  }

  @Test("A pack of an exchange folder makes the document on another device")
  func exchange() throws {
    let folder = try ScaffoldFolder()
    let copy = folder.path + "/copy.quire"

    let clone = quire(["clone", path("exchange"), copy])
    let difference = quire(["diff", copy, path("First.zip")])

    #expect(clone.exitCode == .done, "\(clone.messages)")
    #expect(difference.output == "No differences.\n", "\(difference.messages)")
  }

  @Test(
    "A model has the same versions of its entities in the text of a model, in JSON and in a store")
  func models() throws {
    let hashes = try ["first.model", "First.model.json", "First.Binary"].map { name in
      let run = quire(["hash", path(name)])
      try #require(run.exitCode == .done, "\(run.messages)")
      return run.output
    }

    #expect(Set(hashes).count == 1)
    #expect(hashes[0].split(separator: "\n").count >= 4)
  }
}
