import Foundation
import ObjectGraph
import ObjectModel

@Entity("Person") private final class DeclaredPerson: ManagedObject {
  var id: Int64
  var firstName: String
  var lastName: String
  var age: Int32
  var balance: Double
  var created: Date
  var note: String
  var active: Bool
  var company: DeclaredCompany?

  func fill(_ i: Int, _ person: Person) {
    id = Int64(i + 1)
    firstName = person.firstName
    lastName = person.lastName
    age = Int32(person.age)
    balance = person.balance
    created = Date(timeIntervalSinceReferenceDate: person.created)
    note = person.note
    active = person.active
  }

  func readAll() -> Int {
    Int(id) &+ firstName.utf8.count &+ lastName.utf8.count &+ Int(age) &+ Int(balance)
      &+ Int(created.timeIntervalSinceReferenceDate) &+ note.utf8.count &+ (active ? 1 : 0)
  }
}

@Entity("Company") private final class DeclaredCompany: ManagedObject {
  var name: String
  var city: String = ""
  @Relationship(inverse: \DeclaredPerson.company) var people: RelatedObjects<DeclaredPerson>
}

/// Compares classes with `@Entity` with classes whose accessors are written by hand, on the same stores.
func runEntityBenchmarks(_ count: Int) throws {
  let bench = try ObjectBench(count)
  defer { bench.clean() }
  func byHandContext(_ path: String) -> ManagedObjectContext { bench.open(path) }
  func declared(_ path: String) -> ManagedObjectContext {
    let classes: [ManagedObject.Type] = [DeclaredPerson.self, DeclaredCompany.self]
    let coordinator = PersistentStoreCoordinator(
      model: try! Model(classes: classes), places: ObjectBench.places, classes: classes)
    try! coordinator.addStore(at: path)
    return ManagedObjectContext(coordinator, concurrency: .confined)
  }
  var measurement = Measurement(rounds: 7)
  let byHand = bench.open(bench.wholePath)
  let byMacro = declared(bench.wholePath)
  let people = try byHand.fetch(PersonObject.self)
  let declaredPeople = try byMacro.fetch(DeclaredPerson.all)
  measurement.add("by hand: read every attribute", count, "object") {
    people.reduce(0) { $0 &+ $1.readAll() }
  }
  measurement.add("@Entity: read every attribute", count, "object") {
    declaredPeople.reduce(0) { $0 &+ $1.readAll() }
  }
  measurement.add("by hand: follow a reference", count, "object") {
    people.reduce(0) { $0 &+ ($1.company == nil ? 0 : 1) }
  }
  measurement.add("@Entity: follow a reference", count, "object") {
    declaredPeople.reduce(0) { $0 &+ ($1.company == nil ? 0 : 1) }
  }
  let path = bench.folder.appending(path: "new").path
  var context: ManagedObjectContext?
  func add(
    _ name: String, open: @escaping (String) -> ManagedObjectContext,
    insert: @escaping (Int) -> Void
  ) {
    measurement.add(name, count / 10, "object") {
      for i in 0..<count / 10 { insert(i) }
      try! context!.save()
      return 1
    }
    measurement.prepare {
      context = nil
      try? FileManager.default.removeItem(atPath: path)
      context = open(path)
      context!.undoManager = nil
    }
  }
  add("by hand: insert and save", open: byHandContext) {
    try! context!.insert(PersonObject.self).fill($0, Person($0, companies: bench.companies))
  }
  add("@Entity: insert and save", open: declared) {
    try! context!.insert(DeclaredPerson.self).fill($0, Person($0, companies: bench.companies))
  }
  let times = measurement.report("Classes with @Entity beside classes by hand")
  for work in ["read every attribute", "follow a reference", "insert and save"] {
    showRatio(times, "@Entity: " + work, to: "by hand: " + work)
  }
}
