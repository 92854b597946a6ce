import Foundation
import ObjectModel
import Rows
import StoreInterface
import Synchronization
import Testing

/// Copies into a store that checks references, as a database with foreign keys does.
@Suite("Copies into stores that check references")
struct CopyOrderTests {
  /// A store in memory that refuses a commit that refers to a missing object.
  private final class CheckingStore: Store {
    let inner: MemoryStore
    private let count = Mutex(0)
    var commitCount: Int { count.withLock { $0 } }

    init(_ model: Model) throws { inner = try MemoryStore(model) }

    var type: StoreType { StoreType(rawValue: "Checking") }
    var features: StoreFeatures { StoreFeatures(.incremental) }
    var tag: StoreTag { inner.tag }
    var path: String? { nil }
    func snapshot() throws -> any StoreSnapshot { try inner.snapshot() }
    func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> {
      try inner.leaseKeys(ofEntity: number, count: count)
    }
    func describe() throws -> StoreSummary { try inner.describe() }
    func close() throws { try inner.close() }

    func commit(_ request: CommitRequest) throws -> any StoreSnapshot {
      let after = try inner.commit(request)
      count.withLock { $0 += 1 }
      for entity in request.changes.entities {
        let layout = after.schema[entity.entityNumber]!
        for block in entity.put.blocks + entity.changed.blocks {
          for column in layout.columns where column.kind == .reference {
            guard let found = try block.column(column) else { continue }
            for row in 0..<block.rowCount {
              guard let key = found.reference(at: row) else { continue }
              guard try after.view.contains(key) else {
                throw StoreError(.badChange, "\(entity.entityNumber) refers to a missing object.")
              }
            }
          }
        }
      }
      return after
    }
  }

  /// People of teams, with a captain for each team: each entity refers to the other.
  private func model() throws -> Model {
    try Model(entities: [
      Entity(
        "Person",
        properties: [
          .attribute(Attribute("name", .string)),
          .relationship(Relationship("team", to: "Team", inverse: "people")),
          .relationship(Relationship("leads", to: "Team", inverse: "captain")),
          .relationship(Relationship("boss", to: "Person", inverse: "staff")),
          .relationship(Relationship("staff", to: "Person", inverse: "boss", count: .toMany)),
          .relationship(Relationship("friends", to: "Person", inverse: "friends", count: .toMany)),
        ]),
      Entity(
        "Team",
        properties: [
          .relationship(Relationship("people", to: "Person", inverse: "team", count: .toMany)),
          .relationship(Relationship("captain", to: "Person", inverse: "leads")),
        ]),
    ])
  }

  @Test("An early object may refer to a later one, also across commits", arguments: [3, 70_000])
  func forwardReferences(_ count: Int) throws {
    let model = try model()
    let source = try MemoryStore(model)
    let base = try source.snapshot()
    let schema = base.schema
    let builder = LayerBuilder(schema)
    func key(_ entity: String, _ number: Int) -> ObjectKey {
      ObjectKey(entity: schema[entity]!.entityNumber, number: UInt64(number))
    }
    for number in 1...count {
      builder.insert(key("Person", number))
      builder.set(.string("\(number)"), "name", of: key("Person", number), schema)
    }
    builder.insert(key("Team", 1))
    // The first person refers to a team, which comes after all people, and to the last person.
    builder.set(.object(key("Team", 1)), "team", of: key("Person", 1), schema)
    builder.set(.object(key("Person", count)), "boss", of: key("Person", 1), schema)
    builder.set(.object(key("Team", 1)), "leads", of: key("Person", count), schema)
    builder.set(.object(key("Person", count)), "captain", of: key("Team", 1), schema)
    let links = try #require(schema.links(of: "Person", "friends")).table.layout
    let link = ObjectKey(entity: links.entityNumber, number: 1)
    builder.insert(link)
    builder.set(.object(key("Person", 1)), column: links.index(of: "source")!, of: link)
    builder.set(.object(key("Person", count)), column: links.index(of: "target")!, of: link)
    _ = try source.commit(CommitRequest(builder.freeze(), basedOn: base))

    let target = try CheckingStore(model)
    let report = try StoreCopy(from: source.snapshot(), to: target).run()

    #expect(report == StoreCopy.Report(objectCount: count + 1, lostReferenceCount: 0))
    #expect(target.commitCount > 1)
    let copy = try target.snapshot()
    func value(_ entity: String, _ number: Int, _ name: String) throws -> Value? {
      let layout = copy.schema[entity]!
      return try copy.view.value(
        of: key(entity, number), column: layout.columns[layout.index(of: name)!])
    }
    #expect(try value("Person", 1, "team") == .object(key("Team", 1)))
    #expect(try value("Person", 1, "boss") == .object(key("Person", count)))
    #expect(try value("Person", count, "leads") == .object(key("Team", 1)))
    #expect(try value("Team", 1, "captain") == .object(key("Person", count)))
    #expect(try value("Person", 1, "name") == .string("1"))
    #expect(try copy.view.keys(ofEntity: links.entityNumber).count == 1)
  }

  @Test("A one-to-one reference that the source has on one side alone is set on both sides")
  func oneSided() throws {
    let model = try model()
    let source = try MemoryStore(model)
    let base = try source.snapshot()
    let schema = base.schema
    func key(_ entity: String, _ number: UInt64) -> ObjectKey {
      ObjectKey(entity: schema[entity]!.entityNumber, number: number)
    }
    let builder = LayerBuilder(schema)
    for number in 1...5 as ClosedRange<UInt64> { builder.insert(key("Person", number)) }
    for number in 1...4 as ClosedRange<UInt64> { builder.insert(key("Team", number)) }
    // Both sides; one side; the other side; and a team that two people claim to lead.
    for (person, team) in [(1, 1), (2, 2), (4, 4), (5, 4)] as [(UInt64, UInt64)] {
      builder.set(.object(key("Team", team)), "leads", of: key("Person", person), schema)
    }
    for (team, person) in [(1, 1), (3, 3)] as [(UInt64, UInt64)] {
      builder.set(.object(key("Person", person)), "captain", of: key("Team", team), schema)
    }
    _ = try source.commit(CommitRequest(builder.freeze(), basedOn: base))

    for target in [try MemoryStore(model), try CheckingStore(model)] as [any Store] {
      let report = try StoreCopy(from: source.snapshot(), to: target).run()

      #expect(report == StoreCopy.Report(objectCount: 9, filledReferenceCount: 2))
      let copy = try target.snapshot()
      func values(_ entity: String, _ name: String) throws -> [UInt64?] {
        let layout = copy.schema[entity]!
        return try copy.view.keys(ofEntity: layout.entityNumber).map { number in
          let value = try copy.view.value(
            of: key(entity, number), column: layout.columns[layout.index(of: name)!])
          if case .object(let other)? = value { return other.number }
          return nil
        }
      }
      #expect(try values("Person", "leads") == [1, 2, 3, 4, 4])
      #expect(try values("Team", "captain") == [1, 2, 3, nil])
    }
  }

  @Test("A row with more bytes than fit into a block ends the copy with an error")
  func longRow() throws {
    let model = try Model(entities: [
      Entity("Note", properties: [.attribute(Attribute("bytes", .binary))])
    ])
    let source = try MemoryStore(model)
    let base = try source.snapshot()
    let layout = base.schema["Note"]!
    let builder = LayerBuilder(base.schema)
    builder.insert(ObjectKey(entity: layout.entityNumber, number: 7))
    _ = try source.commit(CommitRequest(builder.freeze(), basedOn: base))
    var column = RowOrigin.Column(layout.columns[0], to: 0)
    // Memory that is never written takes no place.
    column.convert = { _ in .binary(Data(count: 513 << 20)) }
    let copy = StoreCopy(
      from: try source.snapshot(), to: try MemoryStore(model),
      [RowOrigin(layout, layout, columns: [column])], keepingKeys: true)

    let error = #expect(throws: StoreError.self) { try copy.run() }

    #expect(error?.code == .badChange)
    #expect(error?.message.contains("Object 7 of 'Note'") == true)
  }
}
