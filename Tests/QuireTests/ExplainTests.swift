import Foundation
import ObjectModel
import Quire
import Testing

@Entity final class Place: ManagedObject {
  #Index<Place>([\.name], [\.height])
  #Index<Place>(words: \.text)
  var name: String
  var height: Int = 0
  var kind: String = ""
  var text: String = ""
  var region: Place?
  @Relationship var places: RelatedObjects<Place>
  #Inverse<Place>(\.region, \.places)
}

@Suite("Explained requests")
struct ExplainTests {
  private static let count = 5000
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "explain-\(UUID().uuidString)")

  /// A context over a file with places, saved in one commit.
  private func context() throws -> ManagedObjectContext {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let coordinator = PersistentStoreCoordinator(
      model: try Model(classes: [Place.self]), classes: [Place.self])
    try coordinator.addStore(at: folder.appending(path: "places.store").path)
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    for number in 0..<Self.count {
      try context.insert(Place.self) {
        $0.name = "P\(number)"
        $0.height = number
        $0.kind = number % 2 == 0 ? "even" : "odd"
        $0.text = number == 77 ? "a lonely heron" : "many sparrows"
      }
    }
    try context.save()
    return context
  }

  @Test("A scan reads all rows, an index few, and both say how many they find")
  func ways() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let context = try context()
    func explain(_ request: FetchRequest<Place>) throws -> QueryExplanation {
      let parts = try context.explain(request)
      #expect(parts.count == 1)
      #expect(parts[0].foundCount == (try context.count(for: request)))
      #expect(parts[0].store?.hasSuffix("places.store") == true)
      return parts[0]
    }
    let scan = try explain(Place.where { $0.kind == "odd" })
    #expect(scan.steps.map(\.way) == [.scan] && scan.foundCount == Self.count / 2)
    #expect(scan.rows.read == Self.count && scan.rows.skipped == 0 && scan.blocks.read > 0)
    #expect(scan.sortKeys.isEmpty && scan.statement == nil && scan.reason == nil)

    let index = try explain(Place.where { $0.name == "P17" && $0.kind == "odd" })
    #expect(index.steps.map(\.way) == [.index] && index.steps[0].columns == ["name"])
    #expect(index.steps[0].candidateCount == 1 && index.rows.all == 0 && index.foundCount == 1)

    let entries = try explain(Place.where { $0.height >= 4900 })
    #expect(entries.steps.map(\.way) == [.entries] && entries.steps[0].columns == ["height"])

    let first = try explain(Place.all.sorted(by: \.height).limited(to: 3))
    #expect(first.steps.map(\.way) == [.order] && first.sortKeys.isEmpty && first.foundCount == 3)

    let sorted = try explain(Place.where { $0.kind == "odd" }.sorted(by: \.text, ascending: false))
    #expect(sorted.sortKeys == ["-text"] && sorted.sortedCount == Self.count / 2)

    let limited = try explain(Place.where { $0.kind == "odd" }.limited(to: 2))
    #expect(limited.foundCount == 2 && limited.blocks.skipped == limited.blocks.all - 1)

    let words = try explain(Place.where { $0.text.matches(text: "heron") })
    #expect(words.steps.map(\.way) == [.words] && words.steps[0].candidateCount == 1)

    let id = try context.fetchIdentifiers(Place.where { $0.name == "P17" })[0]
    let named = try explain(FetchRequest(Place.self, where: QueryPredicate("SELF == %@", id)))
    #expect(named.steps.map(\.way) == [.identifiers] && named.steps[0].candidateCount == 1)

    let all = try explain(Place.all)
    #expect(all.steps.map(\.way) == [.scan] && all.foundCount == Self.count)
    #expect(all.description.hasPrefix("Place: 5000 results\n  store: "), "\(all)")
    #expect(all.description.contains("\n  scan: 5000 rows of Place\n"), "\(all)")
  }

  @Test("Groups, counts and unsaved changes are explained too")
  func kinds() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let context = try context()
    var groups = Place.all.grouped(by: \.kind, fetching: FetchedValue("n", .function(.count, [])))
    groups.resultType = .dictionaries
    let grouped = try context.explain(groups)[0]
    #expect(grouped.foundCount == 2 && grouped.rows.read == Self.count, "\(grouped)")
    var count = Place.where { $0.kind == "odd" }
    count.resultType = .count
    let counted = try context.explain(count)[0]
    #expect(counted.foundCount == Self.count / 2 && counted.rows.read == Self.count, "\(counted)")
    try context.insert(Place.self) { ($0.name, $0.kind) = ("New", "odd") }
    #expect(try context.explain(Place.where { $0.kind == "odd" })[0].foundCount == 2501)
    #expect(throws: QueryError.self) {
      try context.explain(FetchRequest(Place.self, where: QueryPredicate("nothing == 1")))
    }
  }

  @Test("A handler receives fetches, saves with their steps, and syncs, and nothing after its end")
  func tracing() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let place = folder.lastPathComponent
    let log = EventLog()
    Trace.send(to: { if $0.place?.contains(place) == true { log.add($0) } })
    let context = try context()
    _ = try context.fetch(Place.where { $0.name == "P17" })
    _ = try context.count(for: Place.all)
    let snapshots: [Place.Snapshot] = try context.fetchSnapshots(Place.all.limited(to: 4))
    #expect(snapshots.count == 4)
    #expect(throws: QueryError.self) {
      try context.fetch(FetchRequest(Place.self, where: QueryPredicate("nothing == 1")))
    }
    Trace.send(to: nil)
    _ = try context.fetch(Place.where { $0.name == "after" })
    let events = log.events
    let fetches = events.filter { $0.kind == .fetch }
    #expect(fetches.map(\.count) == [1, 5000, 4, nil], "\(fetches)")
    #expect(fetches[0].detail == "Place where name == \"P17\"")
    #expect(fetches[3].failure?.contains("nothing") == true)
    let saves = events.filter { $0.kind == .save }
    #expect(saves.map(\.count) == [5000])
    #expect(
      saves[0].parts.map(\.name) == ["rebase", "preparation", "validation", "commit", "finish"])
    #expect(saves[0].parts.reduce(.zero) { $0 + $1.duration } <= saves[0].duration)
    #expect(events.contains { $0.kind == .sync && $0.duration > .zero })
    #expect("\(saves[0])".contains(" ms save in "), "\(saves[0])")
  }
}

/// Events in the order in which they come, from any thread.
private final class EventLog: @unchecked Sendable {
  // Sendable: the lock guards the events.
  private let lock = NSLock()
  private var all: [TraceEvent] = []
  var events: [TraceEvent] { lock.withLock { all } }
  func add(_ event: TraceEvent) { lock.withLock { all.append(event) } }
}
