import ObjectQuery
import Testing

@testable import ObjectGraph

@Suite("Undo beside others")
struct UndoBesideOthersTests {
  @Test(
    "Undo leads back to what an object showed, whatever others have saved since, and a redo to what it was",
    arguments: Kind.allCases, [false, true])
  func staleObjects(_ kind: Kind, deleting: Bool) throws {
    let graph = try Graph(kind)
    let (one, other) = (graph.context(), graph.context())
    let trip = try one.insert(Trip.self) { $0.name = "counted" }
    try one.save()
    let undo = UndoStack()
    one.undoManager = undo
    let theirs = other.object(trip)
    theirs.cost = 10
    try other.save()
    #expect(try one.fetch(Trip.self, where: QueryPredicate("cost == 10")) == [trip])
    #expect(trip.cost == 0)

    if deleting { one.delete(trip) } else { trip.cost += 1 }
    try undo.undo()
    #expect(trip.cost == 0 && !one.hasChanges && !trip.isDeleted)
    try undo.redo()
    #expect(trip.isDeleted == deleting && (deleting || trip.cost == 1))
    let error = try #require(throws: ContextError.self) { try one.save() }
    #expect(error.code == .conflict)
    #expect(error.conflicts.first?.base?["cost"] == .double(0))
  }

  @Test(
    "What is undone after saving does not pass over what others have saved since, though nobody holds the object",
    arguments: Kind.allCases, [false, true])
  func letGo(_ kind: Kind, inserted: Bool) throws {
    let graph = try Graph(kind)
    let (one, other) = (graph.context(), graph.context())
    let beside = try one.insert(Trip.self) { $0.name = "beside" }
    let undo = UndoStack()
    if inserted { one.undoManager = undo }
    var trip: Trip? = try one.insert(Trip.self) { $0.name = "counted" }
    try one.save()
    let id = try #require(trip?.objectID)
    if !inserted {
      one.undoManager = undo
      trip?.cost += 1
      try one.save()
    }
    trip = nil
    one.sweep()
    let theirs = try #require(other.existingObject(with: id) as? Trip)
    theirs.cost += 10
    try other.save()
    // What lies beneath moves on.
    beside.cost = 3
    try one.save()

    try undo.undo()
    try undo.undo()
    let error = #expect(throws: ContextError.self) { try one.save() }
    #expect(error?.code == .conflict && error?.conflicts.map(\.object) == [id])
    #expect(error?.conflicts.first?.base?["cost"] == .double(inserted ? 0 : 1))
    one.mergePolicy = .storeWins
    try one.save()
    #expect(
      try other.fetch(Trip.self, where: QueryPredicate("name == 'counted'")).map(\.cost) == [
        inserted ? 10 : 11
      ])
  }

  @Test(
    "Undo reaches what was done while it was off the context", arguments: Kind.allCases)
  func putBack(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    let undo = UndoStack()
    context.undoManager = undo
    let trip = try context.insert(Trip.self) { $0.name = "Porto" }
    try context.save()
    context.undoManager = nil
    try context.insert(Stop.self) { $0.trip = trip }
    try context.save()
    context.undoManager = undo

    try undo.undo()
    try context.save()

    let fresh = graph.context()
    #expect(try fresh.disagreements() == [])
    #expect(try fresh.fetch(Stop.self, where: QueryPredicate("trip != nil")).isEmpty)
    #expect(try fresh.count(for: FetchRequest("Trip")) == 0)
  }
}
