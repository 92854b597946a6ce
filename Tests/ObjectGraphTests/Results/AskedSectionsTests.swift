import Entities
import ObjectModel
import ObjectQuery
import Testing

@testable import ObjectGraph

/// A person with a computed decade of the age, and a nickname that is set when the person is first read.
@Entity("Person") private final class Decades: ManagedObject {
  var age: Int32
  @Transient var nickname: String
  var decade: String { "\(age / 10)0s" }
  override func awakeFromFetch() { nickname = decade }
}

@Suite("Sections with names that objects provide")
struct AskedSectionsTests {
  private func context(_ kind: Kind, ages: [Int32]) throws -> ManagedObjectContext {
    let graph = try Graph(kind, classes: [Decades.self])
    let writer = graph.context()
    for age in ages {
      try writer.insert(Decades.self) { $0.age = age }["name"] = .string("P\(age)")
    }
    try writer.save()
    let context = graph.context()
    context.undoStack = UndoStack()
    return context
  }

  private static let byAge = FetchRequest(Decades.self, sortedBy: [SortKey("age")])

  @Test(
    "A value that an object sets in awakeFromFetch is not an undo group", arguments: Kind.allCases)
  func awaking(_ kind: Kind) throws {
    let context = try context(kind, ages: [21, 34])
    let undo = try #require(context.undoStack)
    let all = try context.fetch(Self.byAge)
    all[0].age = 50
    try context.processPendingChanges()
    try undo.undo()
    #expect(all[1].nickname == "30s" && undo.canRedo && !undo.canUndo)
    try undo.redo()
    #expect(all[0].age == 50)
  }

  @Test("Values set in awakeFromFetch are released with their objects", arguments: Kind.allCases)
  func walking(_ kind: Kind) throws {
    let context = try context(kind, ages: Array(0..<50))
    let kept = try #require(try context.fetch(Self.byAge).last)
    var nicknames: Set<String> = []
    try context.forEachBatch(of: Self.byAge, size: 10) { batch in
      for one in batch { nicknames.insert(one.nickname) }
      #expect(context.workspace.transients.count <= 11)
    }
    #expect(nicknames.count == 5 && kept.nickname == "40s")
    #expect(context.workspace.transients.count == 1)
  }

  @Test("A computed property names sections, and changes move objects", arguments: Kind.allCases)
  func computed(_ kind: Kind) throws {
    let context = try context(kind, ages: [21, 25, 34, 47])
    let results = try FetchedResults(
      Self.byAge, in: context,
      sections: FetchedSections(of: Decades.self, name: \.decade))
    #expect(results.sections.map(\.name) == ["20s", "30s", "40s"])
    #expect(results.sections.map(\.count) == [2, 1, 1])
    #expect(results.request.sortKeys.count == 1, "Nothing is put before what the request says.")

    var changes: [FetchedResultsChange] = []
    results.onChange = { changes.append($0) }
    results[1].age = 33
    try context.processPendingChanges()
    #expect(results.sections.map(\.name) == ["20s", "30s", "40s"])
    #expect(results.sections.map(\.count) == [1, 2, 1] && results.map(\.age) == [21, 33, 34, 47])
    #expect(changes.count == 1)

    // The object keeps its position, but moves to another section.
    results[0].age = 19
    try context.processPendingChanges()
    #expect(results.sections.map(\.name) == ["10s", "30s", "40s"] && changes.count == 2)
    context.delete(results[3])
    try context.insert(Decades.self) { $0.age = 35 }["name"] = .string("P35")
    try context.processPendingChanges()
    #expect(results.sections.map(\.name) == ["10s", "30s"] && results.count == 4)
    context.rollback()
    try context.processPendingChanges()
    #expect(results.sections.map(\.name) == ["20s", "30s", "40s"])
    #expect(results.sections.map(\.count) == [2, 1, 1])
  }

  @Test(
    "A transient attribute names the sections, set by awakeFromFetch, the program or undo",
    arguments: Kind.allCases)
  func transient(_ kind: Kind) throws {
    let context = try context(kind, ages: [21, 25, 34])
    let results = try FetchedResults(
      Self.byAge, in: context, sections: FetchedSections("nickname"))
    #expect(results.sections.map(\.name) == ["20s", "30s"])
    var count = 0
    results.onChange = { _ in count += 1 }
    try context.processPendingChanges()
    #expect(count == 0, "What objects set when they awake is not a change.")

    results[2].nickname = "older"
    try context.processPendingChanges()
    #expect(results.sections.map(\.name) == ["20s", "older"] && count == 1)
    try #require(context.undoStack).undo()
    try context.processPendingChanges()
    #expect(results.sections.map(\.name) == ["20s", "30s"] && count == 2)
  }

  @Test(
    "A repeated section name is refused, and so is a request that excludes unsaved changes",
    arguments: [Kind.memory])
  func refused(_ kind: Kind) throws {
    let context = try context(kind, ages: [21, 34, 25])
    let twice = #expect(throws: ContextError.self) {
      try FetchedResults(
        Self.byAge, in: context,
        sections: FetchedSections(of: Decades.self) { $0.age == 25 ? "one" : "other" })
    }
    #expect(twice?.message.contains("occurs twice") == true)
    var saved = Self.byAge
    saved.includesPendingChanges = false
    let refused = #expect(throws: ContextError.self) {
      try FetchedResults(
        saved, in: context,
        sections: FetchedSections(of: Decades.self, name: \.decade))
    }
    #expect(refused?.code == .notSupported)
  }

  private static let byParity = FetchedSections(of: Decades.self) {
    $0.age % 2 == 0 ? "even" : "odd"
  }

  @Test(
    "A change that repeats a section name is one error of the next save",
    arguments: Kind.allCases)
  func repeatedByChange(_ kind: Kind) throws {
    let context = try context(kind, ages: [21, 25, 34])
    let results = try FetchedResults(
      Self.byAge, in: context, sections: Self.byParity)
    let before = results.snapshot
    results.onChange = { _ in Issue.record("The list can't show the change.") }

    results[2].age = 22
    try context.processPendingChanges()
    #expect(results.failure?.code == .notSupported)
    let error = #expect(throws: ContextError.self) { try context.save() }

    #expect(error?.code == .notSupported)
    #expect(
      error?.message == """
        Can't divide the results of "Person" into sections: the section "odd" occurs twice. The first sort \
        key must order the objects by section; now the results are sorted by "age" first. Nothing was saved.
        """)
    #expect(results.snapshot == before && results.failure != nil)
    try context.save()
    #expect(!context.hasChanges && results.snapshot == before)
  }

  @Test("The list continues once no section name is repeated", arguments: Kind.allCases)
  func repeatedUntilChanged(_ kind: Kind) throws {
    let context = try context(kind, ages: [21, 25, 34])
    let results = try FetchedResults(
      Self.byAge, in: context, sections: Self.byParity)
    var failures: [ContextError] = []
    var changes: [FetchedResultsChange] = []
    results.onFailure = { failures.append($0) }
    results.onChange = { changes.append($0) }

    let oldest = results[2]
    oldest.age = 22
    try context.save()
    oldest.age = 24
    try context.save()
    #expect(failures.count == 1 && changes.isEmpty && results.failure != nil)

    oldest.age = 40
    try context.save()

    #expect(results.failure == nil && failures.count == 1 && changes.count == 1)
    #expect(results.map(\.age) == [21, 25, 40])
    #expect(results.sections.map(\.name) == ["odd", "even"])
  }

  @Test("A list of a limited request refuses a repeated section name too", arguments: Kind.allCases)
  func repeatedInReload(_ kind: Kind) throws {
    let context = try context(kind, ages: [21, 25, 34])
    var request = Self.byAge
    request.fetchLimit = 10
    let results = try FetchedResults(request, in: context, sections: Self.byParity)
    var failures: [ContextError] = []
    results.onFailure = { failures.append($0) }

    results[2].age = 22
    try context.processPendingChanges()

    #expect(failures.count == 1 && results.count == 3)
    #expect(throws: ContextError.self) { try results.change(to: Self.byAge) }
  }
}
