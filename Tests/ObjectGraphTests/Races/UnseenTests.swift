import Dispatch
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

/// What others have saved and whoever changes the same has not seen.
@Suite("Saves that were not seen")
struct UnseenTests {
  @Test(
    "What is saved while all objects are looked at again is noticed", arguments: Kind.allCases)
  func whileRefreshing(_ kind: Kind) throws {
    let graph = try Graph(kind, classes: [Person.self, Meddler.self])
    let (one, other) = (graph.context(), graph.context())
    let meddler = try one.insert(Meddler.self) { $0["name"] = .string("counted") }
    try one.save()
    let theirs = other.object(meddler)
    meddler["start"] = .date(.now)
    meddler.reaction = {
      theirs["cost"] = .double(10)
      try other.save()
      _ = try one.fetch(Person.self)
    }
    one.refreshAllObjects()
    #expect(meddler["cost"] == .double(0))
    meddler["cost"] = .double(1)
    let error = #expect(throws: ContextError.self) { try one.save() }
    #expect(error?.code == .conflict)
    #expect(try graph.context().fetch(Meddler.self).map { $0["cost"] } == [.double(10)])
  }

  @Test(
    "The main actor's context shows what was saved, also when it has fetched before it was told",
    arguments: Kind.allCases)
  @MainActor func fetchedBefore(_ kind: Kind) async throws {
    let graph = try Graph(kind, classes: [Person.self, Meddler.self])
    let main = ManagedObjectContext(graph.coordinator, concurrency: .mainActor)
    main.automaticallyMergesChangesFromParent = true
    let other = graph.context()
    let theirs = try other.insert(Meddler.self) { $0["name"] = .string("counted") }
    try other.save()
    let mine = main.object(theirs)
    #expect(mine["cost"] == .double(0))
    theirs["cost"] = .double(10)
    theirs.saved = { _ = try main.fetch(Person.self) }
    try other.save()
    // What the context was to do comes before.
    await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
    #expect(mine["cost"] == .double(10))
  }
}

/// A trip that does something when it was looked at again, or saved.
private class Meddler: ManagedObject {
  override class var entityName: String { "Trip" }
  var reaction: (() throws -> Void)?
  var saved: (() throws -> Void)?

  private func react(_ what: inout (() throws -> Void)?) {
    guard let body = what else { return }
    what = nil
    do { try body() } catch { Issue.record(error) }
  }

  override func awake(fromSnapshotEvents events: SnapshotEvents) { react(&reaction) }
  override func didSave() { react(&saved) }
}
