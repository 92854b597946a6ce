import Foundation
import JSONText
import SpecVectors
import Testing

@testable import ToolCommands

/// The vectors of the chapter about patches, in documents of a real folder.
@Suite("Patches of the specification")
struct PatchVectorTests {
  private static func vectors(_ kind: String) throws -> [SpecVector] {
    try SpecVector.all(kind, on: "13-patches.md")
  }

  /// A folder with a document without objects, which has the model of a vector.
  private final class Documents {
    private let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "patch-\(UUID().uuidString)")
    private let header: String

    init(_ vector: SpecVector) throws {
      let title = try #require(vector["of"])
      let model = try #require(try vectors("patch-model").first { $0.title == title })
      header = try #require(model["header"])
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try write(model[all: "line"], to: "m.model")
      run("new", path("empty.quire"), "--model", path("m.model"))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    private func write(_ lines: [String], to name: String) throws {
      try Data((lines.joined(separator: "\n") + "\n").utf8)
        .write(to: folder.appending(path: name))
    }

    private func run(_ words: String...) {
      let run = quire(words)
      #expect(run.exitCode == .done, "\(words): \(run.messages)")
    }

    func copy(_ name: String, to other: String) {
      run("save-as", path(name + ".quire"), path(other + ".quire"))
    }

    /// Merges the lines of a patch into a document.
    func merge(_ lines: [String], into name: String, hasHeader: Bool = false) throws
      -> RecordedRun
    {
      try write((hasHeader ? [] : [header]) + lines, to: "p.patch")
      return quire([
        "merge", "--patch", path("p.patch"), path(name + ".quire"), "--in-place", "--format",
        "json",
      ])
    }

    /// Makes a document with the state to which the lines of a patch lead.
    func make(_ name: String, _ lines: [String]) throws {
      copy("empty", to: name)
      let run = try merge(lines, into: name)
      #expect(run.exitCode == .done, "\(run.messages)")
    }

    /// Returns the patch from one document to another as a set of lines, without the header.
    func patch(_ old: String, _ new: String) throws -> Set<JSON> {
      let run = quire([
        "diff", path(old + ".quire"), path(new + ".quire"), "--format", "patch",
      ])
      let lines = run.output.split(separator: "\n").map(String.init)
      #expect(lines.first == header, "\(run.messages)")
      return try PatchVectorTests.lines(Array(lines.dropFirst()))
    }
  }

  /// Returns lines as a set, because their order does not matter.
  private static func lines(_ lines: [String]) throws -> Set<JSON> {
    let all = Set(try lines.map { sorted(try JSON.read(Array($0.utf8))) })
    #expect(all.count == lines.count)
    return all
  }

  /// Returns JSON with its members sorted by name.
  private static func sorted(_ json: JSON) -> JSON {
    guard case .members(let members) = json else { return json }
    return .members(
      members.map { JSON.Member(name: $0.name, value: sorted($0.value)) }
        .sorted { $0.name < $1.name })
  }

  @Test("A patch leads from the old state to the new state", arguments: try vectors("patch"))
  func patches(_ vector: SpecVector) throws {
    let documents = try Documents(vector)
    let (old, new) = (vector[all: "old"], vector[all: "new"])
    let expected = try Self.lines(vector[all: "line"])
    try documents.make("old", old)
    try documents.make("new", new)

    #expect(try documents.patch("empty", "old") == Self.lines(old), "\(vector.place)")
    #expect(try documents.patch("old", "new") == expected, "\(vector.place)")
    documents.copy("old", to: "merged")
    let run = try documents.merge(vector[all: "line"], into: "merged")
    #expect(run.exitCode == .done, "\(vector.place) \(run.messages)")
    #expect(try documents.patch("empty", "merged") == Self.lines(new), "\(vector.place)")
    #expect(try documents.patch("old", "merged") == expected, "\(vector.place)")
  }

  @Test("A merge has the result or the conflict", arguments: try vectors("patch-merge"))
  func merges(_ vector: SpecVector) throws {
    let documents = try Documents(vector)
    try documents.make("target", vector[all: "target"])
    let before = try documents.patch("empty", "target")

    let run = try documents.merge(vector[all: "line"], into: "target")

    let after = try documents.patch("empty", "target")
    if let clash = vector["clash"] {
      #expect(run.exitCode == .no && after == before, "\(vector.place)")
      #expect(run.messages.contains(clash), "\(vector.place) \(run.messages)")
      return
    }
    guard let conflict = vector["conflict"] else {
      #expect(run.exitCode == .done, "\(vector.place) \(run.messages)")
      #expect(after == (try Self.lines(vector[all: "merged"])), "\(vector.place)")
      return
    }
    #expect(run.exitCode == .no && after == before, "\(vector.place)")
    guard case .array(let conflicts)? = try JSON.read(Array(run.output.utf8))["conflicts"],
      conflicts.count == 1, case .string(let id)? = conflicts[0]["id"],
      case .string(let property)? = conflicts[0]["property"]
    else {
      Issue.record("\(vector.place) \(run.output)")
      return
    }
    #expect("\(id) \(property)" == conflict, "\(vector.place)")
  }

  @Test("A wrong patch is refused at its line", arguments: try vectors("bad-patch"))
  func wrongPatches(_ vector: SpecVector) throws {
    let documents = try Documents(vector)
    documents.copy("empty", to: "target")
    let number = try #require(vector["number"])

    let run = try documents.merge(vector[all: "line"], into: "target", hasHeader: true)

    #expect(run.exitCode.rawValue > 2, "\(vector.place) \(run.output)")
    // Messages about the header name the file.
    let place = number == "1" ? "p.patch' " : "p.patch: line \(number): "
    #expect(run.messages.contains(place), "\(vector.place) \(run.messages)")
    #expect(try documents.patch("empty", "target") == [], "\(vector.place)")
  }

  @Test("Every kind of vector occurs")
  func kinds() throws {
    for kind in ["patch-model", "patch", "patch-merge", "bad-patch"] {
      #expect(try !Self.vectors(kind).isEmpty, "\(kind)")
    }
  }
}
