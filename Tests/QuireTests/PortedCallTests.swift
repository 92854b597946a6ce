import Foundation
import Quire
import Testing

/// The words of a diary entry, as an attribute that holds a list.
enum Mood: String, AttributeValue, Codable { case calm, merry }

@Entity final class Diary: ManagedObject {
  var id: UUID = UUID()
  private(set) var title: String
  var note: String?
  var pages: Int = 0
  var written: Date?
  var tags: [String] = []
  var counts: [String: Int]?
  @Attribute var moods: [Mood] = []
  @Relationship(deleteRule: .cascade, inverse: \Entry.diary, ordered: true)
  var entries: RelatedObjects<Entry>

  convenience init(title: String, context: ManagedObjectContext) throws {
    try self.init(context: context)
    self.title = title
  }
}

@Entity final class Entry: ManagedObject {
  var text: String
  var words: Double = 0
  var diary: Diary?
}

@Suite("Calls that programs bring along")
struct PortedCallTests {
  private let context: ManagedObjectContext

  init() throws { context = try .inMemory([Diary.self, Entry.self]) }

  @discardableResult
  private func insert(_ title: String, pages: Int = 0, note: String? = nil) throws -> Diary {
    let diary = try Diary(title: title, context: context)
    (diary.pages, diary.note) = (pages, note)
    return diary
  }

  private func titles(_ request: FetchRequest<Diary>) throws -> [String] {
    try context.fetch(request).map(\.title).sorted()
  }

  @Test("A list finds the objects whose value it contains")
  func contains() throws {
    for title in ["Ada", "Bo", "Cy"] { try insert(title, note: title == "Bo" ? nil : title) }
    let names = ["Ada", "Bo", "Eve"]

    #expect(try titles(Diary.where { names.contains($0.title) }) == ["Ada", "Bo"])
    #expect(try titles(Diary.where { Set(names).contains($0.note) }) == ["Ada"])
    #expect(try titles(Diary.where { !names.contains($0.title) && $0.pages == 0 }) == ["Cy"])
    #expect(try titles(Diary.where { [String]().contains($0.title) }) == [])
  }

  @Test("hasPrefix, hasSuffix and ?? mean in a predicate the same as in Swift")
  func texts() throws {
    try insert("Ada", pages: 1)
    try insert("Adele", pages: 2, note: "new")

    #expect(try titles(Diary.where { $0.title.hasPrefix("Ade") }) == ["Adele"])
    #expect(try titles(Diary.where { $0.title.hasSuffix("a") }) == ["Ada"])
    #expect(try titles(Diary.where { ($0.note ?? "old") == "old" }) == ["Ada"])
    #expect(try titles(Diary.where { ($0.note ?? "old").hasPrefix("n") }) == ["Adele"])
  }

  @Test("Conditions in an array are joined")
  func joined() throws {
    for pages in 1...4 { try insert("\(pages)", pages: pages) }
    let parts = [TypedPredicate<Diary> { $0.pages < 3 }, TypedPredicate { $0.title != "1" }]

    #expect(try titles(Diary.where(allOf: parts)) == ["2"])
    #expect(try titles(Diary.where(anyOf: parts)) == ["1", "2", "3", "4"])
    #expect(try titles(Diary.where(anyOf: [])) == [])
    #expect(try titles(Diary.where(allOf: [])).count == 4)
  }

  @Test("Objects are sorted in reverse")
  func reverse() throws {
    for pages in [2, 3, 1] { try insert("\(pages)", pages: pages) }

    #expect(try context.fetch(Diary.all.sorted(by: \.pages, .reverse)).map(\.pages) == [3, 2, 1])
    #expect(try context.fetch(Diary.all.sorted(by: \.pages, .forward)).map(\.pages) == [1, 2, 3])
  }

  @Test("An object is found by its class and its identifier")
  func find() throws {
    let diary = try insert("Ada")
    let entry = try context.insert(Entry.self) { $0.text = "x" }
    try context.save()
    let gone = entry.objectID
    context.delete(entry)
    try context.save()

    #expect(try context.find(Diary.self, diary.objectID) === diary)
    #expect(try context.find(Entry.self, diary.objectID) == nil)
    #expect(try context.find(Entry.self, gone) == nil)
  }

  @Test("A request is deleted as a change of the context")
  func delete() throws {
    for pages in 1...4 { try insert("\(pages)", pages: pages) }
    try context.save()

    #expect(try context.delete(Diary.where { $0.pages > 2 }) == 2)
    #expect(try titles(Diary.all) == ["1", "2"])
    context.rollback()
    #expect(try titles(Diary.all).count == 4)
  }

  @Test("nil removes a value by its key")
  func noValue() throws {
    let diary = try insert("Ada", note: "x")
    let entry = try context.insert(Entry.self) { $0.diary = diary }

    diary.setValue(nil, forKey: "note")
    entry.setValue(nil, forKey: "diary")

    #expect(diary.note == nil && entry.diary == nil && diary.entries.isEmpty)
  }

  @Test("An identifier is encoded as its text, and another text is refused")
  func codable() throws {
    let id = try insert("Ada").objectID
    let data = try JSONEncoder().encode(["id": id])

    #expect(try JSONDecoder().decode([String: ObjectID].self, from: data) == ["id": id])
    #expect(try JSONDecoder().decode([String: String].self, from: data) == ["id": id.uri])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(ObjectID.self, from: Data("\"x-coredata://1\"".utf8))
    }
  }

  @Test("An object is identifiable, also if its class has a property id")
  func identifiable() throws {
    func identity<Object: Identifiable>(_ object: Object) -> Object.ID { object.id }
    let diary = try insert("Ada")
    let id: ObjectID = identity(diary)
    let own: UUID = diary.id
    let entry = try context.insert(Entry.self)

    #expect(id == diary.objectID && entry.id == entry.objectID)
    #expect(try titles(Diary.where { $0.id == own }) == ["Ada"])
  }

  @Test("Groups have values of key paths, and keys behind a relationship")
  func groups() throws {
    for (title, words) in [("Ada", [1.0, 2]), ("Bo", [4])] {
      let diary = try insert(title)
      for count in words {
        try context.insert(Entry.self) { ($0.text, $0.words, $0.diary) = ("x", count, diary) }
      }
    }

    let byDiary = Entry.all.grouped(
      by: { $0.diary.title }, fetching: .sum(\.words), .count, .max(\.words, as: "most"))
    let table = try context.fetchTable(byDiary.sorted { $0.diary.title })
    #expect(table.values(named: "diary.title", as: String.self) == ["Ada", "Bo"])
    #expect(table.values(named: "sum(words)", as: Double.self) == [3, 4])
    #expect(table.values(named: "count", as: Int.self) == [2, 1])
    #expect(table.values(named: "most", as: Double.self) == [2, 4])
    let byText = try context.fetchTable(
      Entry.all.grouped(by: \.text, fetching: .average(\.words), .min(\.words)))
    #expect(byText.values(of: \Entry.text) == ["x"])
    #expect(byText.values(named: "min(words)", as: Double.self) == [1])
  }

  @Test("A batch is filled from elements by the properties of the class")
  func batch() throws {
    let rows = [(title: "Ada", pages: 3), (title: "Bo", pages: 0)]
    let request = BatchInsertRequest(Diary.self, from: rows) { diary, row in
      diary.title = row.title
      if row.pages > 0 { diary.pages = row.pages }
      diary.tags = [row.title]
      #expect(diary.note == nil && diary.title == row.title)
    }

    #expect(try context.execute(request).count == 2)
    let diaries = try context.fetch(Diary.all.sorted(by: \.title))
    #expect(diaries.map(\.pages) == [3, 0] && diaries.map(\.tags) == [["Ada"], ["Bo"]])
  }

  @Test("A list shows a changed request after its next fetch")
  func changedRequest() throws {
    for pages in 1...3 { try insert("\(pages)", pages: pages) }
    let results = try FetchedResults(Diary.all.sorted(by: \.pages), in: context)
    var changes = 0
    results.onChange = { _ in changes += 1 }

    results.request.predicate = try QueryPredicate("pages > 1")
    results.request.includesPendingChanges = false
    results.request.includesPendingChanges = true
    #expect(results.count == 3)
    try results.performFetch()
    #expect(results.map(\.pages) == [2, 3] && changes == 1)
    results.request.predicate = try QueryPredicate("colour == 1")
    #expect(throws: QueryError.self) { try results.performFetch() }
    try insert("4", pages: 4)
    try context.processPendingChanges()
    #expect(results.map(\.pages) == [2, 3, 4] && results.snapshot.sectionIdentifiers == [""])
  }

  @Test("A relationship has the names of Swift's sets")
  func sets() throws {
    let diary = try insert("Ada")
    let entries = try (0..<4).map { number in
      try context.insert(Entry.self) { $0.text = "\(number)" }
    }

    diary.entries.append(entries[0])
    diary.entries.formUnion([entries[1], entries[0], entries[2], entries[1]])
    diary.entries.insert(entries[3])
    diary.entries.insert(entries[3])
    #expect(diary.entries.map(\.text) == ["0", "1", "2", "3"])
    diary.entries.subtract([entries[0], entries[2]])
    diary.entries.remove(entries[2])
    diary.entries.remove(entries[3])
    #expect(diary.entries.map(\.text) == ["1"] && entries[3].diary == nil)
  }

  @Test("Arrays and dictionaries of values are attributes, and are compared as a whole")
  func lists() throws {
    let diary = try insert("Ada")
    #expect(diary.tags == [] && diary.counts == nil && diary.moods == [])
    diary.tags = ["b", "a,\"c"]
    diary.counts = ["x": 1, "a": 2]
    diary.moods = [.merry]
    try context.save()
    try insert("Bo")
    try context.save()
    context.refreshAllObjects()

    #expect(diary.tags == ["b", "a,\"c"] && diary.counts == ["x": 1, "a": 2])
    #expect(diary.moods == [.merry] && diary["counts"] == .string(#"{"a":2,"x":1}"#))
    #expect(diary.value(forKey: "tags") as? [String] == ["b", "a,\"c"])
    #expect(try titles(Diary.where { $0.tags == [] }) == ["Bo"])
    #expect(try titles(Diary.where { $0.counts == ["a": 2, "x": 1] }) == ["Ada"])
    #expect(try context.fetch(#Predicate<Diary> { $0.tags == ["b", "a,\"c"] }) == [diary])
    #expect(
      try Model(classes: [Diary.self, Entry.self])["Diary"]?.declaredAttributes
        .filter { $0.name == "tags" }.map(\.defaultValue) == [.string("[]")])
  }
}
