import ObjectGraph
import ObjectModel
import ObjectQuery

/// Quire, as the other peers see it: change tracking, validation and undo are on.
final class QuirePeer: Peer {
  let title = "Quire"
  private let world: PeerWorld
  private var copied: ManagedObjectContext?
  private var hundredth: [PersonObject] = []
  private var tenth: [PersonObject] = []
  private var changed: [PersonObject] = []
  private lazy var warm = ObjectBench.open(world.path("quire"))
  private lazy var middle = try! warm.fetch(
    PersonObject.self, where: QueryPredicate("id == \(world.middle)"))[0].objectID

  init(_ world: PeerWorld) {
    self.world = world
    ObjectBench.insert(world.count, at: world.path("quire"))
  }

  func insert() -> Int? { ObjectBench.insert(world.count, at: world.path("quire-new")) }

  /// Calls `body` with a context of a store that was opened now.
  private func opened(_ body: (ManagedObjectContext) -> Int) -> Int {
    let context = ObjectBench.open(world.path("quire"))
    return withExtendedLifetime(context) { body(context) }
  }

  func openOne() -> Int? {
    opened { (try! $0.existingObject(with: middle) as! PersonObject).readAll() }
  }

  func readOneAttribute() -> Int? {
    opened { try! $0.fetch(PersonObject.self).reduce(0) { $0 &+ Int($1.age) } }
  }

  func readAll() -> Int? { opened(ObjectBench.readAll) }
  func filterAndSort() -> Int? { ObjectBench.readHits(warm) }
  func group() -> Int? { try! warm.fetchTable(ObjectBench.groups).rows.count }

  func walk() -> Int? { opened(ObjectBench.readCompanies) }

  func prepareCopy() {
    world.copy("quire", to: "quire-copy")
    let context = ObjectBench.open(world.path("quire-copy"))
    // A program changes objects that it has fetched before.
    func people(_ predicate: String) -> [PersonObject] {
      let people = try! context.fetch(PersonObject.self, where: QueryPredicate(predicate))
      for person in people { _ = person.balance }
      return people
    }
    hundredth = people("modulus:by:(id, 100) == 1")
    tenth = people("modulus:by:(id, 10) == 1")
    let byID = Dictionary(
      uniqueKeysWithValues: people(
        "id IN {\(world.changed.map(String.init).joined(separator: ","))}"
      )
      .map { (Int($0.id), $0) })
    changed = world.changed.map { byID[$0]! }
    copied = context
  }

  func changeHundredth() -> Int? {
    for person in hundredth { person.balance += 1 }
    try! copied!.save()
    return hundredth.count
  }

  func deleteTenth() -> Int? {
    for person in tenth { copied!.delete(person) }
    try! copied!.save()
    return tenth.count
  }

  func saveOne() -> Int? {
    for person in changed {
      person.balance += 1
      try! copied!.save()
    }
    return changed.count
  }

  var byteCount: Int? { world.byteCount("quire") }
}
