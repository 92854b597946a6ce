import Foundation
import NaiveText
package import ObjectGraph
package import ObjectModel
import ObjectQuery
import TestEffort

/// Random notes in one store, and random searches for words, which a naive search answers too.
///
/// The naive search knows the words of each note, and shares no code with the search of the stores.
package struct NoteSearches {
  /// The model of the notes. The words of their bodies are indexed, and those of their titles are not.
  package static let model: Model = {
    let note = Entity(
      "Note",
      properties: [
        .attribute(Attribute("title", .string)), .attribute(Attribute("body", .string)),
        .attribute(Attribute("rank", .int32, isOptional: false, defaultValue: .integer(0))),
      ],
      fetchIndexes: [FetchIndex("byWords", elements: [.init("body", kind: .fullText)])])
    return try! Model(entities: [note, Entity("Letter", superentity: "Note")])
  }()

  /// The seeds of the searches in one type of store. The full work is 10,000 searches, and the ordinary work is small,
  /// because the naive search is slow.
  package static var seeds: [UInt64] {
    Effort.seeds(Effort.factor < 1 ? 16 : 10_000 / (roundCount * searchesInRound))
  }

  private static let roundCount = 5
  private static let searchesInRound = 20

  private struct Note {
    let object: ManagedObject
    let isLetter: Bool
    var words: [String: [NaiveSearch.Word]] = [:]
    var rank: Int64 = 0
  }

  private var generator: TextGenerator
  private let context: ManagedObjectContext
  private var notes: [Note] = []
  /// The number of notes that all searches have found.
  package private(set) var foundCount = 0

  /// Creates the searches of a seed, in a context over an empty store.
  package init(seed: UInt64, in context: ManagedObjectContext) {
    generator = TextGenerator(seed: seed)
    self.context = context
  }

  /// Changes and searches the notes in turns, and returns the differences between the answers.
  package mutating func differences() throws -> [String] {
    var differences: [String] = []
    for round in 0..<NoteSearches.roundCount {
      try change()
      // The other rounds search unsaved changes above the saved notes.
      if round != 1, round != NoteSearches.roundCount - 1 { try context.save() }
      for _ in 0..<NoteSearches.searchesInRound {
        if let difference = try search() { differences.append("round \(round): \(difference)") }
      }
    }
    return differences
  }

  // MARK: - Changes

  private mutating func change() throws {
    for _ in 0..<12 {
      let isLetter = generator.number(0..<3) == 0
      notes.append(
        Note(object: try context.insert(isLetter ? "Letter" : "Note"), isLetter: isLetter))
      set(["title", "body", "rank"], at: notes.count - 1)
    }
    for _ in 0..<4 {
      set([generator.any(["title", "body", "rank"])], at: generator.number(0..<notes.count))
    }
    for _ in 0..<3 {
      let place = generator.number(0..<notes.count)
      context.delete(notes[place].object)
      notes.remove(at: place)
    }
  }

  private mutating func set(_ names: [String], at place: Int) {
    for name in names {
      if name == "rank" {
        notes[place].rank = Int64(generator.number(0..<4))
        notes[place].object[name] = .integer(notes[place].rank)
      } else if generator.number(0..<8) == 0 {
        notes[place].words[name] = nil
        notes[place].object[name] = .null
      } else {
        let text = generator.text()
        notes[place].words[name] = NaiveSearch.words(text)
        notes[place].object[name] = .string(text)
      }
    }
  }

  // MARK: - Searches

  /// Searches once, and returns a description of the difference between the answers; `nil` if they are equal.
  private mutating func search() throws -> String? {
    let query = NoteQuery(&generator)
    let isLetter = generator.number(0..<4) == 0
    let searched = notes.filter { $0.isLetter || !isLetter }
    let wanted = searched.filter { query.isMet(by: $0.words, rank: $0.rank) }
    var request = FetchRequest(isLetter ? "Letter" : "Note", where: query.predicate)

    let found = try context.fetchIdentifiers(request)

    foundCount += found.count
    let start = "\(request.query.entity) where \(query.predicate)"
    guard Set(found) == Set(wanted.map(\.object.objectID)), found.count == wanted.count else {
      return "\(start): found \(found.map(\.key)), and not \(wanted.map(\.object.objectID.key))"
    }
    guard try context.count(for: request) == wanted.count else { return "\(start): the count" }
    guard query.hasRelevance else { return nil }
    let ascending = generator.number(0..<4) != 0
    request.query.sortKeys = [SortKey("relevance", ascending: ascending), SortKey("rank")]
    let scores = query.scores(of: searched.map(\.words))
    let scored = zip(searched, scores).filter { note, _ in
      wanted.contains { $0.object === note.object }
    }
    let order = scored.sorted { left, right in
      // Scores that differ by rounding alone are equal.
      if abs(left.1 - right.1) > 1e-9 { return (left.1 > right.1) == ascending }
      if left.0.rank != right.0.rank { return left.0.rank < right.0.rank }
      return left.0.object.objectID.key < right.0.object.objectID.key
    }
    (request.query.fetchOffset, request.query.fetchLimit) = generator.any([(0, 0), (0, 3), (2, 5)])

    let ranked = try context.fetchIdentifiers(request)

    let all = order.map(\.0.object.objectID)
    guard ranked == Array(all[request.query.window(of: all.count)]) else {
      return
        "\(start) by \(request.query.sortKeys): \(ranked.map(\.key)), and not \(all.map(\.key))"
    }
    return nil
  }
}
