import ObjectGraph
import StoreInterface
import Testing

@Suite("Numbers of links")
struct LinkNumberTests {
  @Test(
    "An unsaved removal of a link, which another store object removed and replaced, keeps the new link",
    arguments: Kind.allCases.filter { $0 != .memory })
  func reused(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let elsewhere = PersistentStoreCoordinator(
      model: Travels.model, places: graph.places, classes: Travels.classes)
    try elsewhere.addStore(at: graph.path("/main.store"), type: kind.type)
    let (one, other) = (
      graph.context(), ManagedObjectContext(elsewhere, concurrency: .confined)
    )
    let trip = try one.insert(Trip.self) { $0.name = "Coast" }
    let names = ["Ada", "Bob"]
    let people = try names.map { name in try one.insert(Person.self) { $0.name = name } }
    trip.members = [people[0]]
    try one.save()

    // The other store object reads the link from the file.
    other.refreshAllObjects()
    let child = ManagedObjectContext(parent: other, concurrency: .confined)
    let childTrip = child.object(with: trip.objectID) as! Trip
    childTrip.members = []
    // One save removes the only link, and the next save adds another link to the file.
    trip.members = []
    try one.save()
    other.refreshAllObjects()
    #expect((other.object(with: trip.objectID) as! Trip).members.isEmpty)
    trip.members = [people[1]]
    try one.save()
    other.refreshAllObjects()
    child.refreshAllObjects()

    #expect(childTrip.members.map(\.name) == ["Bob"])
    child.mergePolicy = .objectWins
    other.mergePolicy = .objectWins
    try child.save()
    try other.save()
    let fresh = graph.context()
    #expect(try fresh.fetch(Trip.self)[0].members.map(\.name) == ["Bob"])
  }
}
