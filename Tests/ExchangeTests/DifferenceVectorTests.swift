import Comparison
import JSONText
import SpecVectors
import Testing

@testable import DocumentExchange

/// The vectors of two differences as one, in the chapter about the exchange.
@Suite("Differences of the specification")
struct DifferenceVectorTests {
  private static let vectors = try! SpecVector.all("difference", on: "16-exchange.md")
  private static let sound = vectors.filter { $0["contradiction"] == nil }
  private static let contradictions = vectors.filter { $0["contradiction"] != nil }

  /// Returns the changes that the lines of a field are.
  private static func book(_ field: String, of vector: SpecVector) throws -> ChangeBook {
    let models = try SpecVector.all("patch-model", on: "13-patches.md")
    let header = try #require(models.first { $0.title == vector["of"] }?["header"])
    let lines = try vector[all: field].map { try JSON.read(Array($0.utf8)) }
    let patch = try Patch(field, JSON.read(Array(header.utf8)), lines)
    return try ChangeBook(patch, files: [:], path: vector.place)
  }

  /// Returns the changes of a book as lines without the header, as a set, because their order does not matter.
  private static func lines(_ book: ChangeBook) -> Set<JSON> {
    Set(book.lines.dropFirst().map(sorted))
  }

  /// Returns JSON with its members sorted by name.
  private static func sorted(_ json: JSON) -> JSON {
    guard case .members(let members) = json else { return json }
    return .members(
      members.map { JSON.Member(name: $0.name, value: sorted($0.value)) }
        .sorted { $0.name < $1.name })
  }

  @Test("Two differences are together the one of the vector", arguments: sound)
  func together(_ vector: SpecVector) throws {
    var book = try Self.book("first", of: vector)
    try book.append(Self.book("second", of: vector), path: vector.place)

    let expected = try vector[all: "together"].map { Self.sorted(try JSON.read(Array($0.utf8))) }
    #expect(Self.lines(book) == Set(expected), "\(vector.place)")
  }

  @Test("Turned around, they are together the one of the vector turned around", arguments: sound)
  func turned(_ vector: SpecVector) throws {
    var book = try Self.book("second", of: vector).turned
    try book.append(Self.book("first", of: vector).turned, path: vector.place)

    let expected = try Self.book("together", of: vector).turned
    #expect(Self.lines(book) == Self.lines(expected), "\(vector.place)")
  }

  @Test("Differences that contradict each other are refused", arguments: contradictions)
  func contradiction(_ vector: SpecVector) throws {
    var book = try Self.book("first", of: vector)
    let second = try Self.book("second", of: vector)
    let id = try #require(vector["contradiction"])

    let error = #expect(throws: ExchangeError.self) {
      try book.append(second, path: vector.place)
    }
    #expect(error?.code == .damaged && error?.message.contains(id) == true, "\(vector.place)")
  }

  @Test("There are vectors of both kinds")
  func complete() { #expect(Self.sound.count >= 11 && Self.contradictions.count >= 4) }
}
