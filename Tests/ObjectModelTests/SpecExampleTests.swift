import Checksums
import Foundation
import ModelNotations
import ObjectModel
import SpecVectors
import Testing

/// The examples of the specification, which explain a vector or a file field by field.
///
/// The text of an example names a vector or a file, and repeats its bytes or lines. Tests of other modules compare the
/// vectors and files with the code.
@Suite("Examples of the specification")
struct SpecExampleTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../..").standardized
  private static let pages: [String] = {
    let folder = root.appending(path: "spec").path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".md") }.sorted()
  }()

  /// A fenced example: `annotated KIND: TITLE` or `worked KIND: TITLE`.
  struct Example: CustomStringConvertible {
    var page: String
    var kind: String
    var title: String
    var lines: [String]
    var description: String { "\(page): \(title)" }
  }

  private static func examples(_ word: String) throws -> [Example] {
    var found: [Example] = []
    for page in pages {
      var open: Example?
      for line in try lines(of: "spec/\(page)") {
        if let example = open {
          if line == "```" {
            found.append(example)
            open = nil
          } else {
            open?.lines.append(line)
          }
        } else if line.hasPrefix("```\(word) "), let colon = line.firstIndex(of: ":") {
          open = Example(
            page: page, kind: String(line[..<colon].dropFirst("```\(word) ".count)),
            title: String(line[line.index(colon, offsetBy: 2)...]), lines: [])
        }
      }
    }
    return found
  }

  private static func lines(of file: String) throws -> [String] {
    let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
    return text.components(separatedBy: "\n")
  }

  private static func vector(_ kind: String, _ title: String) throws -> SpecVector? {
    for page in pages {
      if let found = try SpecVector.all(kind, on: page).first(where: { $0.title == title }) {
        return found
      }
    }
    return nil
  }

  @Test("Each chapter that defines a format has an example")
  func chapters() throws {
    let chapters = try Set(Self.examples("annotated").map { $0.page.prefix { $0 != "-" } })

    #expect(chapters == ["2", "3", "5", "6", "7", "8", "9", "10", "11"])
  }

  @Test("The bytes and lines of an example equal the vector or the file")
  func contents() throws {
    for example in try Self.examples("annotated") {
      if let file = Self.file(of: example) {
        try Self.checkLines(example, Self.lines(of: file))
        continue
      }
      let parts = example.title.firstMatch(of: #/^(.*), bytes ([0-9]+) to ([0-9]+)$/#)
      let title = parts.map { String($0.1) } ?? example.title
      let vector = try #require(try Self.vector(example.kind, title), "\(example)")
      guard let bytes = vector.bytes("bytes") else {
        Self.checkLines(example, vector[all: "line"])
        continue
      }
      let range = try parts.map { try #require(Int($0.2))..<(#require(Int($0.3)) + 1) }
      try Self.checkBytes(example, bytes, range ?? 0..<bytes.count)
    }
  }

  /// Returns the path of an example's file; `nil` if the example belongs to a vector.
  private static func file(of example: Example) -> String? {
    switch example.kind {
    case "report": "spec/vectors/rules/\(example.title).txt"
    case "plugin": "Plugins/\(example.title)/plugin.json"
    case "statements": "spec/vectors/\(example.title).sql"
    default: nil
    }
  }

  /// Checks numbered lines. A line that ends with an ellipsis is shown in part.
  private static func checkLines(_ example: Example, _ lines: [String]) {
    var count = 0
    for line in example.lines {
      guard let match = line.wholeMatch(of: #/ {0,3}([0-9]{1,4})  (.*)/#),
        let number = Int(match.1), number <= lines.count
      else {
        #expect(line.isEmpty || line.hasPrefix("        "), "\(example): \(line)")
        continue
      }
      count += 1
      let shown = match.2.hasSuffix(" …") ? match.2.dropLast(2) : match.2
      let isShown =
        match.2.hasSuffix(" …")
        ? lines[number - 1].hasPrefix(shown)
        : lines[number - 1].trimmingCharacters(in: .whitespaces)
          == shown.trimmingCharacters(in: .whitespaces)
      #expect(isShown, "\(example): line \(number)")
    }
    #expect(count > 1, "\(example)")
  }

  /// Checks fields of bytes: each field begins at the end of the field before, and the fields cover the range.
  private static func checkBytes(
    _ example: Example, _ bytes: [UInt8], _ range: Range<Int>
  ) throws {
    let tables = try pages.flatMap { try lines(of: "spec/\($0)") }.filter { $0.hasPrefix("|") }
      .joined()
    var place = range.lowerBound
    for line in example.lines where !line.isEmpty && !line.hasPrefix("       ") {
      let field = Array(line)
      #expect(Int(String(field[..<5]).trimmingCharacters(in: .whitespaces)) == place, "\(line)")
      let shown = String(field[7..<min(55, field.count)]).trimmingCharacters(in: .whitespaces)
      if let count = shown.wholeMatch(of: #/\(([0-9]+) bytes\)/#) {
        place += try #require(Int(count.1))
      } else {
        let found = try shown.split(separator: " ").map { try #require(UInt8($0, radix: 16)) }
        #expect(found.elementsEqual(bytes[place..<place + found.count]), "\(example): \(line)")
        place += found.count
      }
      if let name = line.firstMatch(of: #/`([a-z_]+)`/#) {
        #expect(tables.contains("`\(name.1)`"), "No table has a field '\(name.1)'.")
      }
    }
    #expect(place == range.upperBound, "\(example)")
  }

  @Test("The steps of version hashes lead to the hashes of the vector's entities")
  func hashes() throws {
    let examples = try Self.examples("worked")
    #expect(examples.count == 1)
    for example in examples {
      let vector = try #require(try Self.vector(example.kind, example.title))
      var results: [String: [UInt8]] = [:]
      for (step, result) in zip(example.lines, example.lines.dropFirst())
      where !step.hasPrefix(" ") {
        let parts = try #require(step.wholeMatch(of: #/(.*) = H\( (.*) \)/#), "\(step)")
        var hash = SHA256()
        for item in String(parts.2).matches(of: #/"([^"]*)"|<([^>]*)>|([0-9a-f]{2})/#) {
          if let text = item.1 { hash.update(Array(text.utf8)) }
          if let name = item.2 { hash.update(try #require(results[String(name)], "\(step)")) }
          if let byte = item.3 { hash.update([try #require(UInt8(byte, radix: 16))]) }
        }
        let digest = hash.digest()
        #expect(result.trimmingCharacters(in: .whitespaces) == "\(digest)", "\(step)")
        results[String(parts.1)] = Array(digest.bytes)
      }
      for text in vector[all: "hash"] {
        let parts = text.split(separator: " ")
        let found = results[String(parts[0])]?.map { byte in
          String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
        #expect(found == String(parts[1]), "\(parts[0])")
      }
    }
  }

  @Test("Models are read with the values of their vectors")
  func models() throws {
    let vectors = try SpecVector.all("model", on: "2-model.md")
    #expect(!vectors.isEmpty)
    for vector in vectors {
      let text = vector[all: "line"].joined(separator: "\n")
      let model = try Model(ModelSource.read(Array(text.utf8)))
      let hashes = model.versionHashes.map { "\($0.key) \($0.value)" }.sorted()

      #expect(hashes == vector[all: "hash"].sorted(), "\(vector)")
    }
  }

  @Test("Models that a reader must refuse are refused, and those that it must accept are accepted")
  func changedModels() throws {
    let bad = try SpecVector.all("bad-model", on: "2-model.md")
    let good = try SpecVector.all("good-model", on: "2-model.md")
    #expect(bad.count >= 20 && good.count >= 8)
    func read(_ vector: SpecVector) throws -> Model {
      let source = try #require(try Self.vector("model", vector["of"] ?? ""), "\(vector)")
      var lines = source[all: "line"]
      lines[try #require(vector["at"].flatMap { Int($0) }) - 1] = vector["with"] ?? ""
      return try Model(ModelSource.read(Array(lines.joined(separator: "\n").utf8)))
    }
    for vector in bad {
      #expect(throws: (any Error).self, "\(vector)") { try read(vector) }
    }
    for vector in good {
      let model = try read(vector)
      // No part of the model is lost in its XML.
      let again = try Model(ModelSource.read(ModelSource.write(model)))
      #expect(again == model, "\(vector)")
    }
  }
}
