import Foundation
import ObjectModel
import Rows
import SeededRandom
import StoreInterface

/// The objects of `quire plugin bench`. A seed determines them, so that two stores get the same objects.
struct BenchObjects {
  /// People with values of many types, and the companies that they work for.
  static let model: Model = {
    var person = Entity("Person")
    for (name, type) in [
      ("id", AttributeType.int64), ("name", .string), ("city", .string), ("age", .int32),
      ("balance", .double), ("born", .date), ("isActive", .boolean), ("note", .string),
    ] { person.declaredProperties.append(.attribute(Attribute(name, type))) }
    person.declaredProperties.append(
      .relationship(Relationship("employer", to: "Company", inverse: "people")))
    person.fetchIndexes = [
      FetchIndex("byAge", elements: [.init("age")]),
      FetchIndex("byName", elements: [.init("name")]),
    ]
    var company = Entity("Company")
    company.declaredProperties = [
      .attribute(Attribute("name", .string)),
      .relationship(
        Relationship("people", to: "Person", inverse: "employer", count: .toMany)),
    ]
    return try! Model(entities: [person, company])
  }()

  /// The values of each person's attributes, by name.
  let people: [[(name: String, value: Value)]]
  /// The place of each person's employer among the companies.
  let employers: [Int]
  /// The names of the companies.
  let companies: [String]
  private let seed: UInt64

  /// Makes the objects: `count` people, and a company for each hundred of them.
  init(count: Int, seed: UInt64) {
    self.seed = seed
    var random = SeededGenerator(seed: seed)
    companies = (0..<max(1, count / 100)).map { "\(Self.word(&random)) & Sons \($0)" }
    var people: [[(name: String, value: Value)]] = []
    var employers: [Int] = []
    people.reserveCapacity(count)
    for id in 0..<count {
      let words = (0..<5).map { _ in Self.word(&random) }
      people.append([
        ("id", .integer(Int64(id))),
        ("name", .string("\(words[0]) \(words[1])")), ("city", .string(words[2])),
        ("age", .integer(.random(in: 18..<90, using: &random))),
        ("balance", .double(Double(Int.random(in: 0..<1_000_000, using: &random)) / 100)),
        (
          "born",
          .date(
            Date(timeIntervalSinceReferenceDate: .random(in: -1e9..<1e8, using: &random).rounded()))
        ),
        ("isActive", .boolean(.random(using: &random))),
        ("note", .string("note \(id): \(words[3]) \(words[4])")),
      ])
      employers.append(.random(in: companies.indices, using: &random))
    }
    (self.people, self.employers) = (people, employers)
  }

  private static let syllables = [
    "ba", "ren", "ko", "lia", "mar", "ti", "son", "del", "us", "vor", "ne", "sha", "gri", "pal",
  ]

  private static func word(_ random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 2...4, using: &random)).map { _ in
      syllables[Int.random(in: 0..<syllables.count, using: &random)]
    }.joined().capitalized
  }

  /// Returns a generator for the choices of a round. Two stores get the same choices.
  func random(inRound round: Int) -> SeededGenerator {
    SeededGenerator(seed: seed &+ UInt64(round + 1) &* 0x9E37_79B9_7F4A_7C15)
  }

  /// Returns the request that inserts all objects.
  ///
  /// - Parameter keys: The keys of the objects in the store.
  func request(_ keys: Keys, above base: any StoreSnapshot) -> CommitRequest {
    let builder = LayerBuilder(base.schema)
    for (place, name) in companies.enumerated() {
      let key = keys.company(place)
      builder.insert(key)
      builder.set(.string(name), column: keys.column("name", of: "Company"), of: key)
    }
    let employer = keys.column("employer", of: "Person")
    for (place, values) in people.enumerated() {
      let key = keys.person(place)
      builder.insert(key)
      for (name, value) in values {
        builder.set(value, column: keys.column(name, of: "Person"), of: key)
      }
      builder.set(.object(keys.company(employers[place])), column: employer, of: key)
    }
    return CommitRequest(builder.freeze(), basedOn: base)
  }
}

extension BenchObjects {
  /// The keys of the objects in one store, and the columns of its rows.
  struct Keys {
    let people: Layout
    let companies: Layout
    private let firstPerson: UInt64
    private let firstCompany: UInt64
    private let columns: [String: [String: Int]]

    /// Leases a key for each object.
    init(_ store: any Store, _ objects: BenchObjects) throws {
      let schema = try store.snapshot().schema
      func layout(_ entity: String) throws -> Layout {
        if let layout = schema[entity] { return layout }
        throw StoreError(
          .badPlugin, "The new store has no entity '\(entity)' in its schema.", path: store.path)
      }
      (people, companies) = (try layout("Person"), try layout("Company"))
      func first(_ layout: Layout, _ count: Int) throws -> UInt64 {
        let lease = try store.leaseKeys(ofEntity: layout.entityNumber, count: count)
        guard lease.count >= count, lease.lowerBound >= 1 else {
          throw StoreError(
            .badPlugin,
            "Asked for \(count) keys, the store returned \(lease.lowerBound)..<\(lease.upperBound).",
            path: store.path)
        }
        return lease.lowerBound
      }
      firstPerson = try first(people, objects.people.count)
      firstCompany = try first(companies, objects.companies.count)
      var columns: [String: [String: Int]] = [:]
      for (layout, entity) in [(people, "Person"), (companies, "Company")] {
        for (place, column) in layout.columns.enumerated() {
          columns[entity, default: [:]][column.name] = place
        }
        for case .attribute(let attribute) in BenchObjects.model.properties(of: entity)
        where columns[entity]?[attribute.name] == nil {
          throw StoreError(
            .badPlugin, "The new store has no column '\(attribute.name)' of '\(entity)'.",
            path: store.path)
        }
      }
      guard columns["Person"]?["employer"] != nil else {
        throw StoreError(
          .badPlugin, "The new store has no column 'employer' of 'Person'.", path: store.path)
      }
      self.columns = columns
    }

    func person(_ place: Int) -> ObjectKey {
      ObjectKey(entity: people.entityNumber, number: firstPerson + UInt64(place))
    }

    func company(_ place: Int) -> ObjectKey {
      ObjectKey(entity: companies.entityNumber, number: firstCompany + UInt64(place))
    }

    /// Returns the position of a column that the model requires.
    func column(_ name: String, of entity: String) -> Int { columns[entity]![name]! }

    /// Returns a value in a form that two stores have in common: the place of an object in place of its key.
    func shared(_ value: Value) -> Value {
      guard case .object(let key) = value else { return value }
      let first = key.entity == companies.entityNumber ? firstCompany : firstPerson
      return .integer(Int64(bitPattern: key.number &- first))
    }
  }
}
