import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import SeededRandom
import Testing

/// A failure that random work has found.
struct Difference: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

/// A context and its expected content.
final class Seat {
  let name: String
  let context: ManagedObjectContext
  let parent: Seat?
  /// The expected content of the context.
  var now: NaiveGraph {
    didSet { if isRecording { states.append(now) } }
  }
  /// The base of the context when it last advanced.
  var base: NaiveGraph
  /// The repairs of the last merge.
  var repairs = NaiveRepairs()
  /// A number that increases with every change of the content.
  var version = 0
  /// The version of the content below the context when the context last advanced.
  var seen: Int
  /// The objects that the test holds.
  var held: [ObjectID: ManagedObject] = [:]
  /// The treatment of inserted duplicates.
  var policy = NaivePolicy.error {
    didSet { context.mergePolicy = policy.policy }
  }
  /// The objects that were inserted, and perhaps saved since, in the order of their insertion.
  var insertions: [ObjectID] = []
  /// The states that the context showed since the recording began.
  private(set) var states: [NaiveGraph] = []
  /// Whether the states that the context shows are recorded.
  var isRecording = false {
    didSet { states = isRecording ? [now] : [] }
  }

  init(
    _ name: String, _ context: ManagedObjectContext, _ parent: Seat?, _ base: NaiveGraph,
    _ seen: Int
  ) {
    self.name = name
    self.context = context
    self.parent = parent
    now = base
    self.base = base
    self.seen = seen
    context.name = name
  }

  func object(_ id: ObjectID) -> ManagedObject {
    if let object = held[id] { return object }
    let object = context.object(with: id)
    held[id] = object
    return object
  }

  /// The inserted objects that are not saved, in the order of their insertion.
  var inserted: [ObjectID] {
    insertions.filter { now.objects[$0] != nil && base.objects[$0] == nil }
  }

  /// Releases deleted objects: an object that is restored is another instance.
  func dropGone() { held = held.filter { now.objects[$0.key] != nil } }

  func require(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    if !condition { throw Difference("\(name): \(what())") }
  }
}

extension Seat {
  /// Compares the context with its expected content.
  ///
  /// - Parameter fetching: Whether the objects are fetched first, or only looked up.
  func compare(_ random: inout SeededGenerator, fetching: Bool, ordered: Bool) throws {
    try context.performAndWait {
      if fetching { try compareFetches(&random) }
      for (id, wanted) in now.objects.sorted(by: { $0.key < $1.key }) {
        try compare(id, wanted, ordered: ordered)
      }
      try compareChanges(ordered: ordered)
    }
  }

  private func compareFetches(_ random: inout SeededGenerator) throws {
    for entity in ["Node", "SubNode", "Badge", "Item", "Guard", "Tag"] {
      let found = try context.fetch(FetchRequest(entity))
      let wanted = now.all(entity)
      try require(
        found.map(\.objectID).sorted() == wanted,
        "fetching \(entity) finds \(short(found.map(\.objectID))), not \(short(wanted))")
      if Int.random(in: 0..<2, using: &random) == 0 {
        for object in found { held[object.objectID] = object }
      }
    }
    for question in NaiveQuestion.all {
      let request = FetchRequest(
        "Node", where: try QueryPredicate(question.text), sortedBy: [SortKey("i32")])
      let found = try context.fetch(request)
      let wanted = now.all("Node").filter { question.holds(now, $0) }
      try require(
        found.map(\.objectID).sorted() == wanted,
        "\(question.text) finds \(short(found.map(\.objectID))), not \(short(wanted))")
      let numbers = found.map { now.integer($0.objectID, "i32") ?? .min }
      try require(numbers == numbers.sorted(), "\(question.text) is not sorted: \(numbers)")
      try require(try context.count(for: request) == wanted.count, "the count of \(question.text)")
    }
    if let problem = try context.sortingProblem(of: "Node", by: "text") {
      throw Difference(problem)
    }
  }

  private func compare(_ id: ObjectID, _ wanted: NaiveGraph.Object, ordered: Bool) throws {
    let object = object(id)
    func fail(_ what: String) throws -> Never { throw Difference("\(name): \(short(id)) \(what)") }
    if object.isDeleted { try fail("is deleted") }
    for name in Wild.attributes(of: wanted.entity).map(\.name) + [Wild.label] {
      let (found, value) = (object[name], wanted.values[name] ?? .null)
      if found != value { try fail("has \(name) \(found.text), not \(value.text)") }
    }
    for relation in Wild.relations(of: wanted.entity) {
      var expected = now.related(id, relation.name)
      switch relation.shape {
      case .oneToOne, .reference:
        // The context does not show an object with a denied deletion.
        expected = expected.filter { now.objects[$0] != nil }
        var found = (object.value(forKey: relation.name) as! ManagedObject?)?.objectID
        if expected.isEmpty, let gone = found, (try? context.existingObject(with: gone)) == nil {
          // A context below deletes the object, and the deletion is denied, so the reference refers to a missing object.
          found = nil
        }
        if found != expected.first {
          try fail("leads by \(relation.name) to \(short(found)), not \(short(expected.first))")
        }
      case .members, .links:
        var found = (object.value(forKey: relation.name) as! [ManagedObject]).map(\.objectID)
        if !ordered {
          found.sort()
          expected.sort()
        }
        if found != expected {
          try fail("leads by \(relation.name) to \(short(found)), not \(short(expected))")
        }
      }
    }
  }

  private func compareChanges(ordered: Bool) throws {
    let inserted = Set(now.objects.keys).subtracting(base.objects.keys)
    let deleted = Set(base.objects.keys).subtracting(now.objects.keys)
    // Places are compared as an order only, because the context may have numbered them differently.
    let changed = Set(
      now.objects.filter { id, object in
        guard let before = base.objects[id] else { return false }
        return before.values != object.values || before.references != object.references
      }.keys)
    let found = Set(context.insertedObjects.map(\.objectID))
    try require(found == inserted, "inserted are \(short(found)), not \(short(inserted))")
    let gone = Set(context.deletedObjects.map(\.objectID))
    try require(gone == deleted, "deleted are \(short(gone)), not \(short(deleted))")
    let updated = Set(context.updatedObjects.map(\.objectID))
    try require(
      updated.isSuperset(of: changed), "updated are \(short(updated)), not \(short(changed))")
    try require(
      updated.isDisjoint(with: inserted.union(deleted)), "updated are also inserted or deleted")
    let links = now.links.mapValues { Set($0.keys) }
    let areLinked = links != base.links.mapValues { Set($0.keys) }
    let isMoved = ordered && now != base
    if !inserted.isEmpty || !deleted.isEmpty || !changed.isEmpty || areLinked || isMoved {
      try require(context.hasChanges, "there are changes, and the context has none")
    }
  }
}

/// A predicate, and its meaning in Swift.
struct NaiveQuestion: Sendable {
  let text: String
  let holds: @Sendable (NaiveGraph, ObjectID) -> Bool

  static let all: [NaiveQuestion] = [
    NaiveQuestion(text: "i32 > 1") { ($0.integer($1, "i32") ?? .min) > 1 },
    NaiveQuestion(text: "text == 'a'") { $0.objects[$1]!.values["text"] == .string("a") },
    NaiveQuestion(text: "parent == nil") { $0.related($1, "parent").isEmpty },
    NaiveQuestion(text: "parent.i32 > 0") { graph, id in
      graph.related(id, "parent").contains { (graph.integer($0, "i32") ?? .min) > 0 }
    },
    NaiveQuestion(text: "children.@count > 0") { !$0.related($1, "children").isEmpty },
    NaiveQuestion(text: "ANY tags.i32 > 1") { graph, id in
      graph.related(id, "tags").contains { (graph.integer($0, "i32") ?? .min) > 1 }
    },
    NaiveQuestion(text: "badge.i32 >= 0") { graph, id in
      graph.related(id, "badge").contains { (graph.integer($0, "i32") ?? .min) >= 0 }
    },
    NaiveQuestion(text: "ANY items.text == 'a' OR friends.@count == 2") { graph, id in
      graph.related(id, "items").contains { graph.objects[$0]!.values["text"] == .string("a") }
        || graph.related(id, "friends").count == 2
    },
  ]
}

extension NaiveGraph {
  func integer(_ id: ObjectID, _ name: String) -> Int64? {
    if case .integer(let number)? = objects[id]?.values[name] { number } else { nil }
  }
}

func short(_ id: ObjectID?) -> String { id.map { "\($0.key.entity).\($0.key.number)" } ?? "none" }

func short(_ ids: some Sequence<ObjectID>) -> String {
  "[" + ids.sorted().map { short($0) }.joined(separator: " ") + "]"
}
