import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import SeededRandom
import Testing

/// Every way to an object gives the same object: a scan, an index, and a reference that is looked up or prefetched.
@Suite("Ways to objects")
struct FetchPathTests {
  private static let model = try! Model(entities: [
    Entity(
      "Item",
      properties: [
        .attribute(Attribute("name", .string)),
        .attribute(Attribute("size", .int32)),
        .attribute(Attribute("note", .string)),
        .relationship(Relationship("box", to: "Box", inverse: "items")),
      ],
      fetchIndexes: [FetchIndex("byName", elements: [.init("name"), .init("size")])]),
    Entity(
      "Box",
      properties: [
        .attribute(Attribute("label", .int64)),
        .relationship(Relationship("items", to: "Item", inverse: "box", count: .toMany)),
      ]),
  ])

  /// The expected values of an item.
  private struct Wanted: Equatable {
    var name: String?
    var size: Int32?
    var box: Int?
  }

  /// Inserts items in boxes and changes them, in several saves and in a last round that is not saved.
  private func fill(
    _ graph: Graph, _ generator: inout SeededGenerator
  ) throws -> (context: ManagedObjectContext, wanted: [ObjectID: Wanted]) {
    let context = graph.context()
    let boxes = try (0..<40).map { number in
      let box = try context.insert("Box")
      box.setValue(Int64(number), forKey: "label")
      return box
    }
    var wanted: [ObjectID: Wanted] = [:]
    func set(_ item: ManagedObject, _ generator: inout SeededGenerator) {
      let names = [nil, "", "a", "ab", "b", "ba", "c", "ä"]
      let one = Wanted(
        name: names.randomElement(using: &generator)!,
        size: Int.random(in: 0..<9, using: &generator) == 0
          ? nil : .random(in: -3...3, using: &generator),
        box: Int.random(in: 0..<9, using: &generator) == 0
          ? nil : .random(in: 0..<40, using: &generator))
      item.setValue(one.name, forKey: "name")
      item.setValue(one.size, forKey: "size")
      item.setValue(one.box.map { .object(boxes[$0].objectID.key) } ?? Value.null, forKey: "box")
      wanted[item.objectID] = one
    }
    for round in 0..<4 {
      for _ in 0..<(round == 0 ? 1500 : 120) {
        let item = try context.insert("Item")
        item.setValue("note", forKey: "note")
        set(item, &generator)
      }
      if round > 1 {
        for id in wanted.keys.sorted(by: { $0.key < $1.key }).shuffled(using: &generator).prefix(60)
        {
          let item = try context.existingObject(with: id)
          if Bool.random(using: &generator) {
            set(item, &generator)
          } else {
            context.delete(item)
            wanted[id] = nil
          }
        }
      }
      // The last round is not saved.
      if round < 3 { try context.save() }
    }
    return (context, wanted)
  }

  @Test("A request answered by an index finds the objects of a scan", arguments: Kind.allCases)
  func covered(_ kind: Kind) throws {
    var generator = SeededGenerator(seed: 5)
    let graph = try Graph(kind, model: Self.model, classes: [])
    let (context, wanted) = try fill(graph, &generator)
    let other = graph.context()
    let saved = try other.fetch(FetchRequest("Item"))
    for context in [context, other] {
      let all: [(id: ObjectID, item: Wanted)] =
        context === other
        ? saved.map {
          (
            $0.objectID,
            Wanted(
              name: $0.value(forKey: "name") as? String,
              size: $0.value(forKey: "size") as? Int32, box: nil)
          )
        } : wanted.map { ($0.key, $0.value) }
      let conditions: [(text: String, holds: (Wanted) -> Bool)] = [
        ("name == 'ä'", { $0.name == "ä" }),
        ("name BEGINSWITH 'b' AND size == 2", { $0.name?.hasPrefix("b") == true && $0.size == 2 }),
        ("name == 'a' AND size > 2", { $0.name == "a" && ($0.size ?? -9) > 2 }),
        ("name == 'c' AND NOT size == 1", { $0.name == "c" && $0.size != 1 }),
        ("name == '' AND size == nil", { $0.name?.isEmpty == true && $0.size == nil }),
        ("name == 'ba' AND note == 'note'", { $0.name == "ba" }),
      ]
      for condition in conditions {
        let found = all.filter { condition.holds($0.item) }
        var request = FetchRequest("Item", where: try QueryPredicate(condition.text))
        #expect(
          try context.fetchIdentifiers(request).map(\.key) == found.map(\.id.key).sorted(),
          "\(condition.text)")
        #expect(try context.count(for: request) == found.count)
        for isAscending in [true, false] {
          request.sortKeys = [
            SortKey("name", ascending: isAscending), SortKey("size", ascending: isAscending),
          ]
          let sizes = try context.fetch(request).map { $0.value(forKey: "size") as? Int32 }
          let expected = found.map(\.item.size)
            .sorted { ($0 ?? -9) < ($1 ?? -9) }
          // Names sort before sizes. Only a BEGINS condition finds objects with different names.
          if !condition.text.contains("BEGINS") {
            #expect(sizes == (isAscending ? expected : expected.reversed()), "\(condition.text)")
          }
        }
        request.sortKeys = [SortKey("name"), SortKey("size")]
        let whole = try context.fetchIdentifiers(request)
        request.fetchOffset = 3
        request.fetchLimit = 5
        #expect(try context.fetchIdentifiers(request) == Array(whole.dropFirst(3).prefix(5)))
      }
    }
  }

  @Test("Relationships lead to the same objects, followed once or often", arguments: Kind.allCases)
  func related(_ kind: Kind) throws {
    var generator = SeededGenerator(seed: 6)
    let graph = try Graph(kind, model: Self.model, classes: [])
    let (context, wanted) = try fill(graph, &generator)
    let inBox = Dictionary(grouping: wanted.keys) { wanted[$0]?.box }
    for _ in 0..<3 {
      for box in try context.fetch(FetchRequest("Box")) {
        let label = box.value(forKey: "label") as? Int
        let items = try #require(box.value(forKey: "items") as? [ManagedObject])
        #expect(Set(items.map(\.objectID)) == Set(inBox[label] ?? []))
        for item in items {
          #expect(item.value(forKey: "box") as? ManagedObject === box)
          #expect(item.value(forKey: "name") as? String == wanted[item.objectID]?.name)
        }
      }
    }
    try context.save()
    // The context has only read the objects that were looked up before.
    let fresh = graph.context()
    for (id, one) in wanted {
      let item = fresh.object(with: id)
      let box = item.value(forKey: "box") as? ManagedObject
      #expect(box?.value(forKey: "label") as? Int == one.box)
      #expect(item.value(forKey: "name") as? String == one.name)
    }
    // A prefetch does not find a deleted object.
    let gone = try #require(wanted.keys.first)
    context.delete(try context.existingObject(with: gone))
    try context.save()
    fresh.refreshAllObjects()
    _ = try fresh.count(for: FetchRequest("Item"))
    #expect(throws: ContextError.self) { try fresh.existingObject(with: gone) }
    let later = graph.context()
    _ = try later.existingObject(with: try #require(wanted.keys.dropFirst().first)).value(
      forKey: "name")
    #expect(throws: ContextError.self) { try later.existingObject(with: gone) }
  }
}
