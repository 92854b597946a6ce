import Documents
import DurableFiles
import Foundation
import HostileInputs
import JSONText
import Rows
import SchemaSubset
import SeededRandom
import SpecVectors
import StoreInterface
import Testing
import Validation

/// The manifests of spec/7-document.md, and changes of them.
@Suite("Manifests")
struct ManifestVectorTests {
  private static let page = "7-document.md"
  static let sound = try! SpecVector.all("manifest", on: page)
  static let bad = try! SpecVector.all("bad-manifest", on: page)

  private static func text(_ lines: [String]) -> String { lines.joined(separator: "\n") + "\n" }

  /// Returns the text of a vector's manifest: the vector's own text, or a change of another vector's text with the right
  /// checksum, unless the change is one of the checksum.
  private static func text(_ vector: SpecVector) throws -> String {
    guard let title = vector["of"] else { return text(vector[all: "line"]) }
    let base = try #require(sound.first { $0.title == title })
    var lines = base[all: "line"]
    let at = try #require(vector["at"].flatMap { Int($0) })
    let isOfChecksum = at == lines.count
    lines.replaceSubrange(at - 1..<at, with: vector[all: "with"])
    if isOfChecksum { return text(lines) }
    return String(
      decoding: HostileInputs.withRightChecksum(Array(text(lines).utf8)), as: UTF8.self)
  }

  @Test("The manifests of the sound vectors are read with all their values", arguments: sound)
  func reading(_ vector: SpecVector) throws {
    let bytes = Array(try Self.text(vector).utf8)
    let manifest = try Manifest(bytes, path: vector.place)

    let versions = manifest.versions.map {
      "\($0.number) \(ManifestDate.text($0.saved)) \($0.model)"
    }
    let stores = manifest.stores.map { "\($0.name) \($0.type.rawValue) \($0.file) \($0.commit)" }
    let attachments = manifest.attachments.map { one in
      let until = one.until.map { String($0) } ?? "-"
      return "\(one.name) \(one.byteCount) \(one.since) \(until)"
    }
    #expect(versions == vector[all: "version"])
    #expect(stores == vector[all: "store"])
    #expect(attachments == vector[all: "attachment"])
    let features = manifest.features.map { "\($0.name) \($0.class.rawValue)" }
    #expect(features == vector[all: "feature"])
    #expect(manifest.heads == vector[all: "head"])
    let merged = manifest.versions.flatMap { version in
      version.merged.map { "\(version.number) \($0)" }
    }
    #expect(merged == vector[all: "merged"])
    let received = manifest.versions.flatMap { version in
      version.received.map { "\(version.number) \($0)" }
    }
    #expect(received == vector[all: "received"])
    #expect(manifest.unknownNames == vector[all: "unknown"])
    HostileInputs.manifest(bytes)
  }

  @Test("The manifests of the bad vectors are refused, for one reason each", arguments: bad)
  func refusing(_ vector: SpecVector) throws {
    let bytes = Array(try Self.text(vector).utf8)

    let error = #expect(throws: DocumentError.self) { try Manifest(bytes, path: vector.place) }
    #expect(error?.code.rawValue == vector["code"])
    #expect(HostileInputs.manifestErrors(bytes) == vector[all: "rule"], "\(vector)")
  }

  @Test("Every rule of manifests with the severity error has a vector")
  func complete() {
    let rules = Rule.known.filter { $0.id.hasPrefix("MANI") && $0.severity == .error }

    #expect(Set(Self.bad.compactMap { $0["rule"] }) == Set(rules.map(\.id)))
  }

  @Test("The example of the page equals the written manifest, byte for byte")
  func example() throws {
    let text = try Self.example()

    #expect(try Manifest(Array(text.utf8), path: "example").text == text)
  }

  private static let spec = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../spec").standardized

  private static func example() throws -> String {
    let page = try String(contentsOf: spec.appending(path: page), encoding: .utf8)
    let start = try #require(page.range(of: "```json\n")).upperBound
    return String(page[start..<(try #require(page[start...].range(of: "```"))).lowerBound])
  }

  // MARK: - The schema

  @Test("The schema accepts the sound vectors and refuses the bad ones that it can recognize")
  func schema() throws {
    let file = Self.spec.appending(path: "manifest.schema.json")
    let schema = try SmallSchema(JSON.read(Array(try Data(contentsOf: file))))
    func faults(_ text: String) throws -> [String] {
      schema.faults(of: try JSON.read(Array(text.utf8)))
    }

    #expect(try faults(Self.example()) == [])
    for vector in Self.sound { #expect(try faults(Self.text(vector)) == [], "\(vector)") }
    // A schema can't express conditions between members, nor the days of the calendar.
    let beyond: Set = [
      "MANI-001", "MANI-013", "MANI-014", "MANI-015", "MANI-016", "MANI-018", "MANI-019",
      "MANI-020", "MANI-021", "MANI-022", "MANI-023", "MANI-024", "MANI-025", "MANI-028",
    ]
    for vector in Self.bad where !beyond.contains(vector["rule"] ?? "") {
      if vector.title.hasPrefix("a day that is none") || vector.title.hasPrefix("a leap second") {
        continue
      }
      #expect(try faults(Self.text(vector)) != [], "\(vector)")
    }
  }

  // MARK: - Changes

  @Test("The reader refuses exactly the changed manifests in which the validator finds an error")
  func changes() throws {
    for vector in Self.sound {
      let bytes = Array(try Self.text(vector).utf8)
      for index in bytes.indices {
        var changed = bytes
        changed[index] ^= 1 << (index % 7)
        HostileInputs.manifest(changed)
      }
      for count in stride(from: 0, to: bytes.count, by: 11) {
        HostileInputs.manifest(Array(bytes[..<count]))
      }
    }
  }

  @Test("The same holds for manifests with exchanged values", arguments: [1, 2, 3, 4] as [UInt64])
  func swaps(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let texts = try [Self.example()] + Self.sound.map { try Self.text($0) }
    var values = try texts.flatMap { Self.values(in: try JSON.read(Array($0.utf8))) }
    for digits in ["-1", "0", "1", "8", "9223372036854775807", "9223372036854775808", "1e3", "-0"] {
      values.append(.number(digits))
    }
    values += [.null, .boolean(true), .string(""), .array([]), .members([]), .string("stores/x")]
    var refused = 0
    for _ in 0..<400 {
      var json = try JSON.read(Array(texts.randomElement(using: &generator)!.utf8))
      for _ in 0..<Int.random(in: 1...2, using: &generator) {
        json = Self.changed(json, values, &generator)
      }
      let bytes = HostileInputs.withRightChecksum(Array(json.line.utf8))
      HostileInputs.manifest(bytes)
      refused += (try? Manifest(bytes, path: "")) == nil ? 1 : 0
    }
    #expect((50...390).contains(refused), "seed \(seed): \(refused)")
  }

  private static func values(in json: JSON) -> [JSON] {
    switch json {
    case .array(let inner): [json] + inner.flatMap(values)
    case .members(let members): [json] + members.flatMap { values(in: $0.value) }
    default: [json]
    }
  }

  /// Returns the value with one of its parts replaced.
  private static func changed(
    _ json: JSON, _ values: [JSON], _ generator: inout SeededGenerator
  ) -> JSON {
    let goesOn = Int.random(in: 0..<8, using: &generator) > 0
    switch json {
    case .array(var inner) where goesOn && !inner.isEmpty:
      let index = Int.random(in: 0..<inner.count, using: &generator)
      if Int.random(in: 0..<12, using: &generator) == 0 {
        inner.append(inner[index])
      } else {
        inner[index] = changed(inner[index], values, &generator)
      }
      return .array(inner)
    case .members(var members) where goesOn && !members.isEmpty:
      let index = Int.random(in: 0..<members.count, using: &generator)
      if Int.random(in: 0..<12, using: &generator) == 0 {
        members.remove(at: index)
      } else {
        members[index] = JSON.Member(
          name: members[index].name, value: changed(members[index].value, values, &generator))
      }
      return .members(members)
    default: return values.randomElement(using: &generator)!
    }
  }

  // MARK: - Dates

  @Test(
    "A date has one text",
    arguments: [
      ("0001-01-01T00:00:00.000Z", -63_113_904_000), ("1582-10-10T12:00:00.000Z", -13_197_988_800),
      ("1999-12-31T23:59:59.999Z", -31_622_400.001), ("2000-02-29T00:00:00.000Z", -26_524_800),
      ("2001-01-01T00:00:00.000Z", 0), ("2001-01-01T00:00:00.001Z", 0.001),
      ("2026-11-22T01:13:59.250Z", 817_002_839.25),
      ("9999-12-31T23:59:59.999Z", 252_423_993_599.999),
    ] as [(String, Double)])
  func dates(_ text: String, _ seconds: Double) {
    let date = Date(timeIntervalSinceReferenceDate: seconds)

    #expect(ManifestDate.text(date) == text)
    #expect(ManifestDate.date(text) == ManifestDate.rounded(date))
    #expect(ManifestDate.date(text.dropLast() + "") == nil)
    #expect(ManifestDate.date(text + " ") == nil)
  }

  @Test("Every date reads back rounded, and dates beyond the range become its limits")
  func manyDates() throws {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<2000 {
      let date = Date(
        timeIntervalSinceReferenceDate: .random(in: -6e10...2.5e11, using: &generator))
      #expect(ManifestDate.date(ManifestDate.text(date)) == ManifestDate.rounded(date))
      // Foundation's text is the same for dates after the change of calendars.
      if date.timeIntervalSinceReferenceDate > -1e10 {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        #expect(
          ManifestDate.text(date).prefix(19)
            == ManifestDate.rounded(date).formatted(style).prefix(19)
            || ManifestDate.text(date).hasSuffix(".000Z"))
      }
    }
    #expect(ManifestDate.text(.distantPast) == "0001-01-01T00:00:00.000Z")
    for seconds in [Double.infinity, 1e300] {
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      #expect(ManifestDate.text(date) == "9999-12-31T23:59:59.999Z")
    }
    #expect(ManifestDate.text(Date(timeIntervalSinceReferenceDate: .nan)).hasPrefix("0001"))
  }
}
