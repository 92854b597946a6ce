import Foundation
import ObjectModel
import ObjectQuery
import Rows
import SeededRandom

/// Random notes in several layers, and the same notes as plain values, whose relevance the tests compute on their own.
struct NoteWorld {
  static let model: Model = {
    var note = Entity("Note")
    note.declaredProperties = [
      .attribute(Attribute("title", .string)), .attribute(Attribute("body", .string)),
      .attribute(Attribute("size", .int32)),
      .relationship(Relationship("author", to: "Person", inverse: "notes")),
    ]
    note.fetchIndexes = [
      FetchIndex("byTitle", elements: [.init("title"), .init("size")]),
      FetchIndex("byWords", elements: [.init("body", kind: .fullText)]),
    ]
    var person = Entity("Person")
    person.declaredProperties = [
      .attribute(Attribute("name", .string)),
      .relationship(Relationship("notes", to: "Note", inverse: "author", count: .toMany)),
    ]
    return try! Model(entities: [note, Entity("Letter", superentity: "Note"), person])
  }()

  let schema: Schema
  let source: ViewSource
  /// The values of each note by path. Missing values are left out.
  private(set) var notes: [ObjectKey: [String: Value]] = [:]

  private static let words = [
    "quick", "quickly", "quiet", "brown", "fox", "lazy", "dog", "the", "a", "word3",
  ]
  private static let names = ["Ada Lace", "Ada Ada", "Kurt", "Lazy Fox", ""]

  init(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    schema = try Schema(NoteWorld.model)
    var view = View()
    let people = LayerBuilder(schema)
    let person = schema["Person"]!
    for (index, name) in NoteWorld.names.enumerated() {
      let key = ObjectKey(entity: person.entityNumber, number: UInt64(index + 1))
      people.insert(key)
      people.set(.string(name), column: person.index(of: "name")!, of: key)
    }
    view = view.pushing(people.freeze())
    for count in [250, 60, 12] {
      let builder = LayerBuilder(schema)
      var touched: Set<ObjectKey> = []
      for _ in 0..<count {
        let layout = schema[Bool.random(using: &random) ? "Note" : "Letter"]!
        let key = ObjectKey(
          entity: layout.entityNumber, number: .random(in: 1...200, using: &random))
        guard touched.insert(key).inserted else { continue }
        let isThere = notes[key] != nil
        if isThere, Int.random(in: 0..<4, using: &random) == 0 {
          builder.remove(key)
          notes[key] = nil
          continue
        }
        if !isThere {
          builder.insert(key)
          notes[key] = [:]
        }
        let person = Int.random(in: 0..<8, using: &random)
        let isNamed = person < NoteWorld.names.count
        let changes: [(String, Value)] = [
          ("title", NoteWorld.text(3, &random)), ("body", NoteWorld.text(40, &random)),
          ("size", .integer(.random(in: 0...6, using: &random))),
          (
            "author",
            isNamed
              ? .object(
                ObjectKey(
                  entity: schema["Person"]!.entityNumber, number: UInt64(person + 1))) : .null
          ),
        ]
        for (name, value) in changes where !isThere || Bool.random(using: &random) {
          builder.set(value, column: layout.index(of: name)!, of: key)
          notes[key]![name] = value
          if name == "author" {
            notes[key]!["author.name"] = isNamed ? .string(NoteWorld.names[person]) : .null
          }
        }
      }
      view = view.pushing(builder.freeze())
    }
    source = ViewSource(view, model: NoteWorld.model, schema: schema)
  }

  /// Returns a text of words in capital or small letters, the empty text, or null.
  private static func text(_ most: Int, _ random: inout SeededGenerator) -> Value {
    if Int.random(in: 0..<9, using: &random) == 0 { return .null }
    let words = (0..<Int.random(in: 0...most, using: &random)).map { _ in
      Int.random(in: 0..<12, using: &random) == 0
        ? "word\(Int.random(in: 0..<60, using: &random))"
        : NoteWorld.words.randomElement(using: &random)!
    }
    return .string(words.joined(separator: " "))
  }

  // MARK: - The naive computation

  /// Returns the objects that a request finds in the order of its sort keys, of which the first is the relevance.
  func sorted(
    _ request: QueryRequest, _ parts: [(field: String, terms: [String])]
  ) throws -> [ObjectKey] {
    var unsorted = request
    unsorted.sortKeys = []
    let found = try QueryPlan(unsorted, model: NoteWorld.model, schema: schema).keys(in: source)
    let numbers = Set(
      (request.includesSubentities
        ? schema.layouts(ofFamily: request.entity, in: NoteWorld.model)
        : [schema[request.entity]!]).map(\.entityNumber))
    let searched = notes.filter { numbers.contains($0.key.entity) }
    var scores: [ObjectKey: Double] = [:]
    for (field, terms) in parts {
      let words = searched.compactMapValues { note -> [String]? in
        guard case .string(let text)? = note[field] else { return nil }
        return text.lowercased().split(separator: " ").map(String.init)
      }
      let average =
        Double(words.values.reduce(0) { $0 + $1.count }) / Double(max(words.count, 1))
      for term in terms {
        func frequency(_ words: [String]) -> Int {
          words.count { term.hasSuffix("*") ? $0.hasPrefix(term.dropLast()) : $0 == term }
        }
        let count = Double(words.values.count { frequency($0) > 0 })
        let weight = log(1 + (Double(words.count) - count + 0.5) / (count + 0.5))
        for (key, words) in words where frequency(words) > 0 {
          let (times, length) = (Double(frequency(words)), Double(words.count))
          scores[key, default: 0] +=
            weight * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length / average))
        }
      }
    }
    return found.sorted { precedes($0, $1, request.sortKeys, scores) }
  }

  private func precedes(
    _ left: ObjectKey, _ right: ObjectKey, _ keys: [SortKey], _ scores: [ObjectKey: Double]
  ) -> Bool {
    // Scores that differ by rounding alone are equal.
    let (one, two) = ((scores[left] ?? 0), (scores[right] ?? 0))
    if abs(one - two) > 1e-9 { return (one > two) == keys[0].isAscending }
    for key in keys.dropFirst() {
      let (a, b) = (notes[left]![key.path] ?? .null, notes[right]![key.path] ?? .null)
      if a == b { continue }
      let isLess: Bool
      switch (a, b) {
      case (.null, _): isLess = true
      case (_, .null): isLess = false
      case (.integer(let a), .integer(let b)): isLess = a < b
      case (.string(let a), .string(let b)):
        isLess = a.utf8.lexicographicallyPrecedes(b.utf8)
      default: isLess = false
      }
      return isLess == key.isAscending
    }
    return left < right
  }
}
