import DurableFiles
import Foundation

/// Swift objects in memory, without a file: the limit of any object graph.
final class ObjectsPeer: Peer {
  let title = "Swift objects"
  private let world: PeerWorld
  private var companies: [PlainCompany] = []
  private var people: [PlainPerson] = []

  private final class PlainCompany {
    let city: String
    var people: [PlainPerson] = []
    init(_ city: String) { self.city = city }
  }

  private final class PlainPerson {
    let id: Int64
    var (firstName, lastName, note): (String, String, String)
    var age: Int32
    var (balance, created): (Double, Double)
    var active: Bool
    unowned let company: PlainCompany

    init(_ i: Int, _ person: Person, _ company: PlainCompany) {
      id = Int64(i + 1)
      (firstName, lastName, note) = (person.firstName, person.lastName, person.note)
      age = Int32(person.age)
      (balance, created, active) = (person.balance, person.created, person.active)
      self.company = company
    }

    var sum: Int {
      PeerWorld.sum(
        id: Int(id), firstName.utf8.count, lastName.utf8.count, age: Int(age), balance: balance,
        created: created, note.utf8.count, active: active)
    }
  }

  init(_ world: PeerWorld) {
    self.world = world
    _ = insert()
  }

  func insert() -> Int? {
    companies = (0..<world.companies).map { PlainCompany(People.city($0)) }
    people = (0..<world.count).map { i in
      let person = Person(i, companies: companies.count)
      let company = companies[Int(person.company - 1)]
      let object = PlainPerson(i, person, company)
      company.people.append(object)
      return object
    }
    return people.count
  }

  func openOne() -> Int? { nil }
  func readOneAttribute() -> Int? { people.reduce(0) { $0 &+ Int($1.age) } }
  func readAll() -> Int? { people.reduce(0) { $0 &+ $1.sum } }

  func filterAndSort() -> Int? {
    people.filter { $0.lastName.hasPrefix("Sm") && $0.age > 40 }
      .sorted { ($0.lastName, $0.age) < ($1.lastName, $1.age) }.reduce(0) { $0 &+ $1.sum }
  }

  func group() -> Int? {
    var groups: [String: (count: Int, ages: Int)] = [:]
    for person in people {
      groups[person.lastName, default: (0, 0)].count += 1
      groups[person.lastName]!.ages += Int(person.age)
    }
    return groups.mapValues { Double($0.ages) / Double($0.count) }.count
  }

  func walk() -> Int? {
    companies.reduce(0) { sum, company in
      let city = company.city.utf8.count
      return company.people.reduce(sum) { $0 &+ $1.sum &+ city }
    }
  }

  func prepareCopy() {}
  func changeHundredth() -> Int? { nil }
  func deleteTenth() -> Int? { nil }
  func saveOne() -> Int? { nil }
  var byteCount: Int? { nil }
}

/// `Codable` values in a JSON file, which is read and written whole.
final class CodablePeer: Peer {
  let title = "JSON file"
  private let world: PeerWorld
  private var copied = Contents(companies: [], people: [])

  private struct Contents: Codable {
    var companies: [Company]
    var people: [CodablePerson]
  }

  private struct Company: Codable {
    var name: String
    var city: String
  }

  private struct CodablePerson: Codable {
    var id: Int
    var firstName: String
    var lastName: String
    var age: Int
    var balance: Double
    var created: Double
    var note: String
    var active: Bool
    var company: Int

    var sum: Int {
      PeerWorld.sum(
        id: id, firstName.utf8.count, lastName.utf8.count, age: age, balance: balance,
        created: created, note.utf8.count, active: active)
    }
  }

  init(_ world: PeerWorld) {
    self.world = world
    write(made(), to: "people.json")
  }

  private func made() -> Contents {
    Contents(
      companies: (0..<world.companies).map {
        Company(name: "Company \($0) Ltd", city: People.city($0))
      },
      people: (0..<world.count).map { i in
        let person = Person(i, companies: world.companies)
        return CodablePerson(
          id: i + 1, firstName: person.firstName, lastName: person.lastName, age: Int(person.age),
          balance: person.balance, created: person.created, note: person.note,
          active: person.active, company: Int(person.company))
      })
  }

  /// Replaces the file, and waits until it is on the disk.
  private func write(_ contents: Contents, to name: String) {
    let data = try! JSONEncoder().encode(contents)
    try! RealDisk().replace(world.path(name)) { writer in
      try data.withUnsafeBytes { try writer.write(RawSpan(_unsafeBytes: $0)) }
    }
  }

  private func read(_ name: String = "people.json") -> Contents {
    try! JSONDecoder().decode(
      Contents.self, from: Data(contentsOf: URL(filePath: world.path(name))))
  }

  func insert() -> Int? {
    write(made(), to: "people-new.json")
    return world.count
  }

  func openOne() -> Int? { read().people[world.middle - 1].sum }
  func readOneAttribute() -> Int? { read().people.reduce(0) { $0 &+ $1.age } }
  func readAll() -> Int? { read().people.reduce(0) { $0 &+ $1.sum } }

  func filterAndSort() -> Int? {
    copied.people.filter { $0.lastName.hasPrefix("Sm") && $0.age > 40 }
      .sorted { ($0.lastName, $0.age) < ($1.lastName, $1.age) }.reduce(0) { $0 &+ $1.sum }
  }

  func group() -> Int? {
    Dictionary(grouping: copied.people, by: \.lastName).mapValues { people in
      Double(people.reduce(0) { $0 + $1.age }) / Double(people.count)
    }.count
  }

  func walk() -> Int? {
    let contents = read()
    return Dictionary(grouping: contents.people, by: \.company).reduce(0) { sum, company in
      let city = contents.companies[company.key - 1].city.utf8.count
      return company.value.reduce(sum) { $0 &+ $1.sum &+ city }
    }
  }

  func prepareCopy() { copied = read() }

  func changeHundredth() -> Int? {
    let changed = stride(from: 0, to: copied.people.count, by: 100)
    for index in changed { copied.people[index].balance += 1 }
    write(copied, to: "people-copy.json")
    return Array(changed).count
  }

  func deleteTenth() -> Int? {
    let before = copied.people.count
    copied.people.removeAll { $0.id % 10 == 1 }
    write(copied, to: "people-copy.json")
    return before - copied.people.count
  }

  /// Each save writes the whole file, so 100 of them would take minutes.
  func saveOne() -> Int? { nil }
  var byteCount: Int? { world.byteCount("people.json") }
}
