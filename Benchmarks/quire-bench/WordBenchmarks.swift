import BinaryStore
import CSQLite3
import Foundation
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// Compares the index of words of a block file with SQLite's FTS5, on the same texts: many short notes, and a few long ones
/// with as many words.
func runWordBenchmarks(_ count: Int) throws {
  try WordBench("short notes", texts: count, wordsInEach: 10).run()
  try WordBench("long texts", texts: max(count / 50, 20), wordsInEach: 1000).run()
}

/// Texts with words as frequent as in a language: a word of rank r is 1/r as frequent as the first.
private struct Corpus {
  static let rankCount = 50_000
  let texts: [String]
  /// The number of texts with the word of each rank.
  private(set) var hitCounts = [Int](repeating: 0, count: rankCount)

  init(_ count: Int, wordsInEach: Int) {
    var texts: [String] = []
    texts.reserveCapacity(count)
    var last = [Int](repeating: -1, count: Corpus.rankCount)
    let scale = log(Double(Corpus.rankCount))
    for text in 0..<count {
      var words: [String] = []
      for place in 0..<wordsInEach {
        let share = Double(People.hash(place + 1, UInt64(text)) >> 11) / Double(1 << 53)
        let rank = min(Int(exp(share * scale)), Corpus.rankCount) - 1
        words.append(Corpus.word(rank))
        if last[rank] != text { hitCounts[rank] += 1 }
        last[rank] = text
      }
      texts.append(words.joined(separator: " "))
    }
    self.texts = texts
  }

  /// Returns the word of a rank: syllables, shorter ones for more frequent words.
  static func word(_ rank: Int) -> String {
    let (first, second) = (Array("bcdfghjklmnprstvwz"), Array("aeiou"))
    var (word, rest) = ("", rank + 7)
    while rest > 0 {
      word.append(first[rest % first.count])
      word.append(second[rest / first.count % second.count])
      rest /= first.count * second.count
    }
    return word
  }

  /// Returns the word with a number of hits nearest to the given one.
  func word(withHits count: Int) -> String {
    let rank = hitCounts.indices.min { abs(hitCounts[$0] - count) < abs(hitCounts[$1] - count) }
    return Corpus.word(rank!)
  }
}

private final class WordBench {
  private let title: String
  private let corpus: Corpus
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "quire-bench-\(UUID().uuidString)")

  init(_ title: String, texts: Int, wordsInEach: Int) throws {
    self.title = title
    corpus = Corpus(texts, wordsInEach: wordsInEach)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func path(_ name: String) -> String { folder.appending(path: name).path }

  private static func model(indexed: Bool) -> Model {
    var note = Entity("Note", properties: [.attribute(Attribute("body", .string))])
    if indexed {
      note.fetchIndexes = [FetchIndex("byWords", elements: [.init("body", kind: .fullText)])]
    }
    return try! Model(entities: [note])
  }

  /// Writes all texts into a new store.
  private func fill(_ name: String, indexed: Bool) -> Int {
    try? FileManager.default.removeItem(atPath: path(name))
    let store = try! BinaryStore.create(
      at: path(name), model: WordBench.model(indexed: indexed), isCompressed: false)
    let schema = try! store.snapshot().schema
    let builder = LayerBuilder(schema)
    let entity = schema["Note"]!.entityNumber
    for (place, text) in corpus.texts.enumerated() {
      let key = ObjectKey(entity: entity, number: UInt64(place + 1))
      builder.insert(key)
      builder.set(.string(text), column: 0, of: key)
    }
    try! store.commit(CommitRequest(builder.freeze(), basedOn: store.snapshot()))
    try! store.close()
    return corpus.texts.count
  }

  private func fillPeer(_ name: String, indexed: Bool) -> Int {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path(name + suffix))
    }
    let peer = WordPeer(path(name))
    peer.run("CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)")
    peer.run("BEGIN")
    peer.insert(corpus.texts)
    if indexed {
      peer.run(
        """
        CREATE VIRTUAL TABLE words USING fts5(body, content = 'note', content_rowid = 'id', \
        tokenize = 'unicode61 remove_diacritics 2'); INSERT INTO words (words) VALUES ('rebuild')
        """)
    }
    peer.run("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
    return corpus.texts.count
  }

  private func size(_ name: String) -> Double {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path(name))
    return (attributes?[.size] as? NSNumber)?.doubleValue ?? .nan
  }

  func run() throws {
    try build()
    try search()
    try save()
  }

  private func build() throws {
    var measurement = Measurement(rounds: 3)
    let count = corpus.texts.count
    measurement.add("SQLite: write \(title) with FTS5", count, "text") { [self] in
      fillPeer("peer", indexed: true)
    }
    measurement.prepare { tidyMemory() }
    measurement.add("write \(title) with words", count, "text") { [self] in
      fill("own", indexed: true)
    }
    measurement.prepare { tidyMemory() }
    let times = measurement.report("Words of \(count) \(title)")
    _ = (fill("own", indexed: true), fill("plain", indexed: false))
    _ = (fillPeer("peer", indexed: true), fillPeer("peer-plain", indexed: false))
    let ratio = Measurement.ratio(
      times, "write \(title) with words", to: "SQLite: write \(title) with FTS5")
    target("write \(title) with words / FTS5", ratio, atMost: 1.0)
    let (own, theirs) = (size("own") - size("plain"), size("peer") - size("peer-plain"))
    print("  the index: \(format(own / 1e6)) MB, FTS5 \(format(theirs / 1e6)) MB")
    target("size of the index of \(title) / FTS5", own / theirs, atMost: 0.8)
  }

  private func search() throws {
    let store = try BinaryStore.open(path("own"))
    let snapshot = try store.snapshot()
    let (model, schema) = (try snapshot.model, snapshot.schema)
    let source = ViewSource(snapshot.view, model: model, schema: schema)
    let peer = WordPeer(path("peer"))
    var measurement = Measurement()
    let (rare, frequent) = (
      corpus.word(withHits: 10), corpus.word(withHits: corpus.texts.count / 10)
    )
    let queries = [
      ("a word with 10 hits", rare, rare),
      ("a word with a tenth of the texts", frequent, frequent),
      ("both words", "\(rare) \(frequent)", "\(rare) \(frequent)"),
      ("a prefix", "\(rare.dropLast(2))*", "\(rare.dropLast(2))*"),
      (
        "a phrase", "\"\(Corpus.word(3)) \(Corpus.word(4))\"",
        "\"\(Corpus.word(3)) \(Corpus.word(4))\""
      ),
    ]
    for (name, own, theirs) in queries {
      let request = QueryRequest("Note", where: try QueryPredicate("body TEXT %@", own))
      let plan = try QueryPlan(request, model: model, schema: schema)
      let statement = peer.prepare("SELECT rowid FROM words WHERE words MATCH '\(theirs)'")
      let (found, wanted) = (try plan.keys(in: source).count, SQLitePeer.count(statement))
      precondition(found == wanted, "\(name): \(found) results here and \(wanted) in SQLite")
      measurement.add("SQLite: \(name)", 1, "query") { SQLitePeer.count(statement) }
      measurement.add("\(name), \(found) hits", 1, "query") { try! plan.keys(in: source).count }
    }
    let times = measurement.report("Search in \(title)")
    for (name, own) in zip(measurement.names, measurement.names.dropFirst())
    where name.hasPrefix("SQLite") {
      target("\(own) / FTS5", Measurement.ratio(times, own, to: name), atMost: 0.5)
    }
    try store.close()
  }

  private func save() throws {
    var measurement = Measurement(rounds: 5)
    let saves = 200
    let stores = try ["plain", "own"].map { try BinaryStore.open(path($0)) }
    for (name, store) in zip(["a save without the index", "a save with the index"], stores) {
      var number = 0
      measurement.add(name, saves, "save") { [corpus] in
        for _ in 0..<saves {
          let base = try! store.snapshot()
          let entity = base.schema["Note"]!.entityNumber
          number += 7919
          let key = ObjectKey(entity: entity, number: UInt64(number % corpus.texts.count + 1))
          let builder = LayerBuilder(base.schema)
          let text = corpus.texts[(number + 1) % corpus.texts.count]
          let version = try! base.view.row(of: key)!.version
          builder.set(.string(text), column: 0, of: key, basis: version)
          try! store.commit(CommitRequest(builder.freeze(), basedOn: base))
        }
        return number
      }
    }
    let times = measurement.report("Saves of one of the \(title)")
    target(
      "a save with the index / without",
      Measurement.ratio(times, "a save with the index", to: "a save without the index"), atMost: 1.2
    )
    for store in stores { try store.close() }
  }
}

/// The same texts in SQLite.
private final class WordPeer {
  private var database: OpaquePointer?

  init(_ path: String) {
    precondition(sqlite3_open(path, &database) == SQLITE_OK)
    for setting in [
      "journal_mode = WAL", "synchronous = FULL", "cache_size = -65536", "mmap_size = 4294967296",
      "temp_store = MEMORY",
    ] { run("PRAGMA \(setting)") }
  }

  deinit { sqlite3_close(database) }

  private var message: String { String(cString: sqlite3_errmsg(database)) }

  func run(_ sql: String) {
    precondition(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK, message)
  }

  func prepare(_ sql: String) -> OpaquePointer? {
    var statement: OpaquePointer?
    precondition(sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK, message)
    return statement
  }

  func insert(_ texts: [String]) {
    let insert = prepare("INSERT INTO note VALUES (?, ?)")
    defer { sqlite3_finalize(insert) }
    for (place, text) in texts.enumerated() {
      sqlite3_bind_int64(insert, 1, Int64(place + 1))
      text.withCString {
        _ = sqlite3_bind_text(
          insert, 2, $0, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
      }
      precondition(sqlite3_step(insert) == SQLITE_DONE, message)
      sqlite3_reset(insert)
    }
  }
}
