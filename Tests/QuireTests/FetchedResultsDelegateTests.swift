import Foundation
import Quire
import Testing

@Suite("The delegate of a list, and its fetch")
struct FetchedResultsDelegateTests {
  /// Writes each call down as a line of text.
  private final class Calls: FetchedResultsChange.Delegate {
    var lines: [String] = []

    func resultsWillChange(_ results: FetchedResults<Voyage>) {
      lines.append("will \(results.map(\.name))")
    }
    func results(
      _ results: FetchedResults<Voyage>, didChange section: FetchedResultsChange.SectionChange
    ) {
      switch section {
      case .insert(let section, let index): lines.append("insert section \(section.name) \(index)")
      case .delete(let section, let index): lines.append("delete section \(section.name) \(index)")
      }
    }
    func results(
      _ results: FetchedResults<Voyage>, didChange object: Voyage,
      by change: FetchedResultsChange.ObjectChange
    ) {
      switch change {
      case .insert(_, let place):
        lines.append("insert \(object.name) \(place.section).\(place.item)")
      case .delete(let id, let place):
        #expect(object.objectID == id)
        lines.append("delete \(place.section).\(place.item)")
      case .move(_, let from, let to):
        lines.append("move \(object.name) \(from.index) \(to.index)")
      case .update(_, _, let place): lines.append("update \(object.name) \(place.index)")
      }
    }
    func resultsDidChange(_ results: FetchedResults<Voyage>) {
      lines.append("did \(results.map(\.name))")
    }

    func take() -> [String] {
      defer { lines = [] }
      return lines
    }
  }

  /// A delegate that implements no method.
  private final class Silent: FetchedResultsChange.Delegate { typealias Object = Voyage }

  private let context: ManagedObjectContext

  init() throws { context = try ManagedObjectContext.inMemory([Voyage.self, Port.self]) }

  @discardableResult
  private func insert(_ name: String) throws -> Voyage {
    try context.insert(Voyage.self) {
      $0.name = name
      $0.code = name
    }
  }

  @Test("A delegate receives the sections first, then the objects, between two calls")
  func order() throws {
    let results = try FetchedResults(
      Voyage.all.sorted(by: \.name), in: context,
      sections: FetchedSections("name") { String($0.plainText.prefix(1)) })
    let calls = Calls()
    results.delegate = calls
    let (ada, bo) = (try insert("Ada"), try insert("Bo"))
    try context.processPendingChanges()
    #expect(
      calls.take() == [
        "will []", "insert section A 0", "insert section B 1", "insert Ada 0.0", "insert Bo 1.0",
        #"did ["Ada", "Bo"]"#,
      ])

    bo.budget = 3
    context.delete(ada)
    try context.processPendingChanges()
    #expect(
      calls.take() == [
        #"will ["Ada", "Bo"]"#, "delete section A 0", "delete 0.0", "update Bo 0", #"did ["Bo"]"#,
      ])
    try context.save()
    _ = calls.take()
    try context.processPendingChanges()
    #expect(calls.take() == [])

    // A list does not retain its delegate, and a delegate needs no method.
    let silent = Silent()
    results.delegate = silent
    bo.name = "Cleo"
    try context.processPendingChanges()
    #expect(calls.take() == [] && results.map(\.name) == ["Cleo"])
    do {
      let gone = Calls()
      results.delegate = gone
    }
    #expect(results.delegate == nil)
  }

  @Test("A list that is not divided is one section, also if it is empty")
  func emptySections() throws {
    let plain = try FetchedResults(Voyage.all.sorted(by: \.name), in: context)
    let divided = try FetchedResults(
      Voyage.all.sorted(by: \.name), in: context, sections: FetchedSections("name"))
    let calls = Calls()
    plain.delegate = calls
    #expect(plain.sections.map(\.count) == [0] && divided.sections.isEmpty)
    let ada = try insert("Ada")
    try context.processPendingChanges()
    #expect(plain.sections.map(\.count) == [1] && divided.sections.map(\.name) == ["Ada"])
    #expect(calls.take() == ["will []", "insert Ada 0.0", #"did ["Ada"]"#])
    context.delete(ada)
    try context.processPendingChanges()
    #expect(plain.sections.map(\.count) == [0] && divided.sections.isEmpty)
  }

  @Test("A list is empty until its fetch, and follows changes from then on")
  func fetching() throws {
    try insert("Ada")
    let results = try FetchedResults(
      Voyage.all.sorted(by: \.name), in: context, performsFetch: false)
    let calls = Calls()
    results.delegate = calls
    try insert("Bo")
    try context.processPendingChanges()
    #expect(results.isEmpty && results.sections.isEmpty && calls.take() == [])
    #expect(results.place(of: try insert("Dora")) == nil)

    try results.change(to: Voyage.where { $0.name != "Bo" }.sorted(by: \.name))
    #expect(results.isEmpty && calls.take() == [])
    try results.performFetch()
    #expect(results.map(\.name) == ["Ada", "Dora"] && calls.take() == [])
    try insert("Cleo")
    try context.processPendingChanges()
    #expect(results.map(\.name) == ["Ada", "Cleo", "Dora"] && calls.take().count == 3)
    try results.performFetch()
    #expect(results.map(\.name) == ["Ada", "Cleo", "Dora"] && calls.take() == [])
  }

  @Test("A second fetch takes the present time for now()")
  func time() throws {
    let results = try FetchedResults(Voyage.where { $0.start < .now }, in: context)
    let stored = try FetchedResults(
      FetchRequest(Voyage.self, where: QueryPredicate("start < now()")), in: context)
    try insert("Ada").start = Date(timeIntervalSinceNow: 0.2)
    try context.processPendingChanges()
    #expect(stored.isEmpty && results.isEmpty)
    Thread.sleep(forTimeInterval: 0.3)
    let calls = Calls()
    stored.delegate = calls
    try stored.performFetch()
    #expect(stored.count == 1 && calls.take().count == 3)
  }

  @Test("The objects of a removed store leave a list with calls")
  func removedStore() throws {
    let coordinator = context.coordinator
    let first = coordinator.stores[0]
    try insert("Ada")
    try context.save()
    let results = try FetchedResults(Voyage.all.sorted(by: \.name), in: context)
    let calls = Calls()
    results.delegate = calls
    try coordinator.addStore(at: "/dev/null")
    try context.processPendingChanges()
    _ = calls.take()
    try coordinator.remove(first)
    try insert("Bo")
    try context.processPendingChanges()
    #expect(results.map(\.name) == ["Bo"])
    #expect(calls.take().contains("delete 0.0"))
  }
}
