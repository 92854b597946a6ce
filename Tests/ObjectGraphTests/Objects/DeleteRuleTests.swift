import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@Suite("Delete rules in cycles, diamonds and large graphs")
struct DeleteRuleTests {
  typealias Rule = Relationship.DeleteRule

  /// A model of things: `next` and its inverse `previous` are to-many, and `one` and its inverse `back` are to-one.
  private static func model(_ next: Rule, _ previous: Rule = .nullify) throws -> Model {
    try Model(entities: [
      Entity(
        "Thing",
        properties: [
          .attribute(Attribute("name", .string)),
          .relationship(
            Relationship(
              "next", to: "Thing", inverse: "previous", count: .toMany, deleteRule: next)),
          .relationship(
            Relationship(
              "previous", to: "Thing", inverse: "next", count: .toMany, deleteRule: previous)),
          .relationship(Relationship("one", to: "Thing", inverse: "back", deleteRule: next)),
          .relationship(Relationship("back", to: "Thing", inverse: "one", deleteRule: previous)),
        ])
    ])
  }

  /// A saved graph of things, by name, in a context.
  private struct Web {
    let graph: Graph
    let context: ManagedObjectContext
    var things: [String: ManagedObject] = [:]

    /// - Parameter edges: `ab` leads from `a` to `b`.
    init(_ kind: Kind, _ model: Model, _ edges: String, single: Bool = false) throws {
      graph = try Graph(kind, model: model, classes: [])
      context = graph.context()
      for name in Set(edges.filter(\.isLetter)).sorted() {
        let thing = try context.insert("Thing")
        thing["name"] = .string(String(name))
        things[String(name)] = thing
      }
      for edge in edges.split(separator: " ") {
        let (from, to) = (things[String(edge.first!)]!, things[String(edge.last!)]!)
        if single {
          from.setObjects([to], forKey: "one")
        } else {
          let before = from.value(forKey: "next") as! [ManagedObject]
          from.setObjects(before + [to], forKey: "next")
        }
      }
      try context.save()
    }

    func delete(_ names: String) {
      for name in names { context.delete(things[String(name)]!) }
    }

    /// Returns the names of the remaining things, as a new context reads them.
    func left() throws -> String {
      let other = try graph.again()
      let names = try other.fetch(FetchRequest("Thing", sortedBy: [SortKey("name")])).map {
        thing -> String in
        for key in ["next", "previous"] {
          let others = thing.value(forKey: key) as! [ManagedObject]
          #expect(
            others.allSatisfy { $0.value(forKey: "name") != nil }, "\(key) leads to what is gone")
        }
        return thing.value(forKey: "name") as! String
      }
      return names.joined()
    }
  }

  @Test(
    "A cascade deletes every reachable object once, in any shape of the graph",
    arguments: Kind.allCases,
    [
      ("ab ba", "a", ""), ("aa", "a", ""), ("ab bc ca xa", "b", "x"), ("ab ac bd cd de", "a", ""),
      ("ab ac bd cd de", "c", "ab"), ("ab bc cd da ae ef fe", "e", "abcd"),
      ("ab ac ad bc bd cd dc xb yx", "a", "xy"), ("ab cd", "ac", ""), ("ab cd", "ba", "cd"),
    ])
  func cascades(_ kind: Kind, _ shape: (edges: String, doomed: String, left: String)) throws {
    let web = try Web(kind, Self.model(.cascade), shape.edges)
    web.delete(shape.doomed)
    try web.context.save()

    #expect(try web.left() == shape.left)
    #expect(web.things.values.count { !$0.isGone } == shape.left.count)
    web.context.rollback()
    #expect(web.context.registeredObjects.count == shape.left.count)
  }

  @Test(
    "A cascade that was rolled back or undone leaves every link unchanged",
    arguments: Kind.allCases)
  func takenBack(_ kind: Kind) throws {
    let web = try Web(kind, Self.model(.cascade), "ab ac bd cd da ex xb")
    web.context.undoStack = UndoStack()
    func links() -> [String] {
      web.things.keys.sorted().map { name in
        let next = web.things[name]!.value(forKey: "next") as! [ManagedObject]
        return name + ":" + next.map { $0.value(forKey: "name") as! String }.sorted().joined()
      }
    }
    let before = links()
    web.delete("a")
    try web.context.processPendingChanges()
    #expect(web.things.values.count { $0.isDeleted } == 4)
    web.context.rollback()
    #expect(links() == before)
    web.delete("c")
    try web.context.processPendingChanges()
    try web.context.undoStack?.undo()
    #expect(links() == before && !web.context.hasChanges)
    try web.context.undoStack?.redo()
    try web.context.save()
    #expect(try web.left() == "ex")
  }

  @Test(
    "Nullifying keeps the remaining objects and the links between them", arguments: Kind.allCases,
    [true, false])
  func nullifies(_ kind: Kind, _ single: Bool) throws {
    let web = try Web(kind, Self.model(.nullify), "ab bc ca", single: single)
    web.delete("b")
    try web.context.save()

    #expect(try web.left() == "ac")
    let key = single ? "one" : "next"
    #expect(web.things["a"]!.value(forKey: key) as? [ManagedObject] ?? [] == [])
    #expect(web.things["a"]!.value(forKey: "one") == nil)
    let next = web.things["c"]!.value(forKey: key)
    #expect(
      next as? ManagedObject === web.things["a"]! || next as? [ManagedObject] == [web.things["a"]!])
  }

  @Test(
    "A save refuses a denied deletion, unless the objects that deny it are deleted too",
    arguments: Kind.allCases, [true, false])
  func denies(_ kind: Kind, _ single: Bool) throws {
    let web = try Web(kind, Self.model(.deny), "ab bc ca", single: single)
    web.delete("b")
    let error = #expect(throws: ContextError.self) { try web.context.save() }
    #expect(error?.failures.map(\.rule) == [.deletionDenied])
    #expect(error?.failures.first?.object == web.things["b"]!.objectID)
    #expect(error?.failures.first?.key == (single ? "one" : "next"))
    #expect(try web.left() == "abc")
    web.delete("ca")
    try web.context.save()
    #expect(try web.left() == "")
  }

  @Test("A cascade that reaches a denied deletion is refused as a whole", arguments: Kind.allCases)
  func cascadeIntoDenial(_ kind: Kind) throws {
    let model = try Model(entities: [
      Entity(
        "Thing",
        properties: [
          .attribute(Attribute("name", .string)),
          .relationship(
            Relationship(
              "parts", to: "Part", inverse: "thing", count: .toMany, deleteRule: .cascade)),
        ]),
      Entity(
        "Part",
        properties: [
          .relationship(Relationship("thing", to: "Thing", inverse: "parts")),
          .relationship(
            Relationship("locks", to: "Lock", inverse: "part", count: .toMany, deleteRule: .deny)),
        ]),
      Entity(
        "Lock", properties: [.relationship(Relationship("part", to: "Part", inverse: "locks"))]),
    ])
    let graph = try Graph(kind, model: model, classes: [])
    let context = graph.context()
    let (thing, part, free) = (
      try context.insert("Thing"), try context.insert("Part"), try context.insert("Part")
    )
    let lock = try context.insert("Lock")
    for one in [part, free] { one.setObjects([thing], forKey: "thing") }
    lock.setObjects([part], forKey: "part")
    try context.save()
    context.delete(thing)
    let error = #expect(throws: ContextError.self) { try context.save() }
    #expect(error?.failures.map(\.object) == [part.objectID])
    let other = try graph.again()
    #expect(try other.count(for: FetchRequest("Part")) == 2)

    context.delete(lock)
    try context.save()
    for (entity, count) in [("Thing", 0), ("Part", 0), ("Lock", 0)] {
      #expect(try other.count(for: FetchRequest(entity)) == count)
    }
  }

  @Test("A required relationship refuses the deletion of its object", arguments: Kind.allCases)
  func required(_ kind: Kind) throws {
    let model = try Model(entities: [
      Entity(
        "Box",
        properties: [
          .relationship(Relationship("things", to: "Thing", inverse: "box", count: .toMany))
        ]),
      Entity(
        "Thing",
        properties: [
          .attribute(Attribute("name", .string)),
          .relationship(Relationship("box", to: "Box", inverse: "things", isOptional: false)),
        ]),
    ])
    let graph = try Graph(kind, model: model, classes: [])
    let context = graph.context()
    let (box, thing) = (try context.insert("Box"), try context.insert("Thing"))
    thing.setObjects([box], forKey: "box")
    try context.save()
    context.delete(box)
    let error = #expect(throws: ContextError.self) { try context.save() }
    #expect(
      error?.failures.map { "\($0.object == thing.objectID) \($0.key ?? "") \($0.rule)" } == [
        "true box required"
      ])
    let other = try context.insert("Box")
    thing.setObjects([other], forKey: "box")
    try context.save()
    #expect(try graph.again().count(for: FetchRequest("Box")) == 1)
  }

  @Test(
    "A cascade through a long chain or a very large relationship does not overflow the stack",
    arguments: Kind.allCases)
  func large(_ kind: Kind) throws {
    let graph = try Graph(kind, model: Self.model(.cascade), classes: [])
    let context = graph.context()
    let chain = try (0..<3000).map { _ in try context.insert("Thing") }
    for (from, to) in zip(chain, chain.dropFirst()) { from.setObjects([to], forKey: "one") }
    let crowd = try (0..<2000).map { _ in try context.insert("Thing") }
    chain[2999].setObjects(crowd, forKey: "next")
    try context.save()
    context.delete(chain[0])
    try context.save()

    #expect(try graph.again().count(for: FetchRequest("Thing")) == 0)
  }

  /// Returns a context with an owner and a thing. The thing can't be deleted as long as it refers to the owner.
  private func denied(
    _ kind: Kind, _ undo: UndoStack? = nil
  ) throws -> (context: ManagedObjectContext, owner: ManagedObject, thing: ManagedObject) {
    let model = try Model(entities: [
      Entity(
        "Owner",
        properties: [
          .relationship(Relationship("things", to: "Thing", inverse: "owner", count: .toMany))
        ]),
      Entity(
        "Thing",
        properties: [
          .attribute(Attribute("name", .string)),
          .relationship(Relationship("owner", to: "Owner", inverse: "things", deleteRule: .deny)),
        ]),
    ])
    let context = try Graph(kind, model: model, classes: []).context()
    let (owner, thing) = (try context.insert("Owner"), try context.insert("Thing"))
    thing.setObjects([owner], forKey: "owner")
    try context.save()
    context.undoStack = undo
    return (context, owner, thing)
  }

  @Test(
    "A denial ends when the denied deletion is discarded", arguments: Kind.allCases,
    [true, false])
  func deniedOnce(_ kind: Kind, _ isUndone: Bool) throws {
    let (context, _, thing) = try denied(kind, isUndone ? UndoStack() : nil)
    thing["name"] = .string("Changed")
    try context.processPendingChanges()
    context.delete(thing)
    #expect(throws: ContextError.self) { try context.save() }
    if isUndone {
      try context.undoStack?.undo()
    } else {
      context.refresh(thing, mergeChanges: false)
    }
    #expect(!thing.isDeleted)
    thing.setObjects([], forKey: "owner")
    context.delete(thing)
    try context.save()
    #expect(try context.count(for: FetchRequest("Thing")) == 0)
  }

  @Test(
    "A denied deletion is denied again when it is redone", arguments: Kind.allCases,
    [true, false])
  func deniedAgain(_ kind: Kind, _ isSaved: Bool) throws {
    let undo = UndoStack()
    let (context, owner, thing) = try denied(kind, undo)
    context.delete(thing)
    try context.processPendingChanges()
    try undo.undo()
    if isSaved { try undo.withoutUndo { _ = try context.insert("Owner") } }
    try context.save()
    try undo.redo()
    try expectDenial(of: thing, by: owner, in: context)
  }

  @Test("No delete rule denies the undo of an insertion", arguments: Kind.allCases)
  func undoneInsertion(_ kind: Kind) throws {
    let undo = UndoStack()
    let (context, owner, _) = try denied(kind, undo)
    let thing = try context.insert("Thing")
    thing.setObjects([owner], forKey: "owner")
    try context.save()
    context.delete(thing)
    try context.processPendingChanges()
    try undo.undo()
    try undo.undo()
    #expect(thing.isDeleted)
    try context.save()
    #expect(try context.count(for: FetchRequest("Thing")) == 1)
  }

  @Test("A pushed deletion is denied when the parent saves", arguments: Kind.allCases)
  func deniedAbove(_ kind: Kind) throws {
    let (context, owner, thing) = try denied(kind)
    let child = ManagedObjectContext(parent: context, concurrency: .confined)
    child.delete(child.object(thing))
    try child.handOver()
    try expectDenial(of: thing, by: owner, in: context)
  }

  /// Expects that a save denies the deletion of a thing until its owner is deleted too.
  private func expectDenial(
    of thing: ManagedObject, by owner: ManagedObject, in context: ManagedObjectContext
  ) throws {
    #expect(thing.isDeleted)
    let error = #expect(throws: ContextError.self) { try context.save() }
    #expect(error?.failures.map(\.rule) == [.deletionDenied])
    context.delete(owner)
    try context.save()
    #expect(try context.count(for: FetchRequest("Thing")) == 0)
  }
}
