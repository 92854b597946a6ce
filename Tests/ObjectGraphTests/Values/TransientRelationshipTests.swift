import Entities
import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

@Entity final class Table: ManagedObject {
  var label: String
  @Transient @Relationship(inverse: \Visitor.table, ordered: true) var visitors:
    RelatedObjects<Visitor>
  @Transient @Relationship(inverse: \Visitor.booked) var booking: Visitor?
  @Transient @Relationship(inverse: \Visitor.wishes) var wishers: RelatedObjects<Visitor>
}

@Entity final class Visitor: ManagedObject {
  var name: String
  @Transient var table: Table?
  @Transient var booked: Table?
  @Transient @Relationship var wishes: RelatedObjects<Table>
  @Transient var lastMet: Visitor?
}

@Suite("Relationships in memory")
struct TransientRelationshipTests {
  private let graph: Graph
  private let context: ManagedObjectContext
  private let window: Table
  private let corner: Table
  private let ada: Visitor
  private let bob: Visitor

  init() throws {
    let classes: [ManagedObject.Type] = [Table.self, Visitor.self]
    graph = try Graph(.binary, model: Model(classes: classes), classes: classes)
    context = graph.context()
    window = try context.insert(Table.self) { $0.label = "Window" }
    corner = try context.insert(Table.self) { $0.label = "Corner" }
    ada = try context.insert(Visitor.self) { $0.name = "Ada" }
    bob = try context.insert(Visitor.self) { $0.name = "Bob" }
    try context.save()
  }

  @Test("A to-many relationship keeps its order and agrees with its to-one inverse")
  func oneToMany() {
    window.visitors = [bob, ada, bob]
    #expect(window.visitors == [bob, ada] && ada.table === window && bob.table === window)
    bob.table = corner
    #expect(window.visitors == [ada] && corner.visitors == [bob])
    corner.visitors = [ada]
    #expect(window.visitors.isEmpty && bob.table == nil && ada.table === corner)
    ada.table = nil
    #expect(corner.visitors.isEmpty)
  }

  @Test("One-to-one and many-to-many relationships agree with their inverses")
  func otherCounts() {
    window.booking = ada
    bob.booked = window
    #expect(window.booking === bob && ada.booked == nil)
    ada.booked = corner
    window.booking = ada
    #expect(corner.booking == nil && ada.booked === window && bob.booked == nil)

    ada.wishes = [window, corner]
    bob.wishes = [corner]
    #expect(window.wishers.objects == [ada] && corner.wishers.objects == [ada, bob])
    corner.wishers = [bob]
    #expect(ada.wishes == [window] && bob.wishes == [corner])
  }

  @Test("A relationship without an inverse may lead to the object itself")
  func withoutInverse() {
    ada.lastMet = ada
    #expect(ada.lastMet === ada)
    ada.lastMet = bob
    #expect(ada.lastMet === bob && bob.lastMet == nil)
  }

  @Test("Programs that know the model at run time read and set the relationship by its name")
  func byName() throws {
    window.setObjects([ada], forKey: "visitors")
    window.add(bob, to: "visitors")
    window.add(bob, to: "visitors")
    #expect(window.objects(forKey: "visitors").objects == [ada, bob])
    #expect(window.count(forKey: "visitors") == 2)
    window.move(in: "visitors", from: 1, to: 0)
    #expect(window.value(forKey: "visitors") as? [ManagedObject] == [bob, ada])
    window.remove(ada, from: "visitors")
    #expect(ada.value(forKey: "table") == nil && bob.value(forKey: "table") as? Table === window)

    ada["table"] = .object(corner.objectID.key)
    #expect(ada.table === corner)
    ada["table"] = .null
    #expect(ada.table == nil)
    try ada.setValues(["table": .object(window.objectID.key), "name": .string("A")])
    #expect(ada.table === window && window.visitors.contains(ada))
    #expect(throws: ContextError.self) {
      try ada.setValues(["table": .object(bob.objectID.key)])
    }
  }

  @Test("No store holds the relationship, and setting it is not a change")
  func inMemoryOnly() throws {
    ada.table = window
    #expect(!context.hasChanges)
    ada.name = "Ada Lovelace"
    try context.save()
    #expect(ada.table === window)
    let found = try graph.again().fetch(Visitor.all.sorted(by: \.name))
    #expect(found.map(\.table) == [nil, nil])
  }

  @Test("A deleted object leaves the relationship")
  func deletion() throws {
    window.visitors = [ada, bob]
    context.delete(ada)
    #expect(window.visitors == [bob])
    try context.save()
    #expect(window.visitors == [bob])
    context.delete(window)
    #expect(bob.table == nil)
  }

  @Test("A refresh of one end of a relationship clears both ends")
  func refresh() {
    window.visitors = [ada, bob]
    context.refresh(ada, mergeChanges: false)
    #expect(ada.table == nil && window.visitors == [bob])
    window.visitors = [ada]
    #expect(ada.table === window && bob.table == nil)
    context.reset()
    #expect(ada.managedObjectContext == nil)
  }

  @Test("Undo gives both ends their former objects")
  func undo() throws {
    let undo = UndoStack()
    context.undoStack = undo
    ada.table = window
    try context.processPendingChanges()
    ada.table = corner
    try context.processPendingChanges()
    try undo.undo()
    #expect(ada.table === window && window.visitors == [ada] && corner.visitors.isEmpty)
    try undo.undo()
    #expect(ada.table == nil && window.visitors.isEmpty)
    try undo.redo()
    #expect(ada.table === window && window.visitors == [ada])
  }

  @Test("The relationship may lead to an object of another store")
  func otherStore() throws {
    let second = try graph.coordinator.addStore(at: graph.path("/second.store"), type: .binary)
    let stranger = try context.insert(Visitor.self, into: second)
    stranger.name = "Cleo"
    window.visitors = [ada, stranger]
    try context.save()
    #expect(window.visitors == [ada, stranger] && stranger.table === window)
  }

  @Test("A child that saves changed objects hands their relationships to its parent")
  func child() throws {
    let child = ManagedObjectContext(parent: context, concurrency: .confined)
    let table = try #require(try child.existingObject(with: window.objectID) as? Table)
    let visitor = try #require(try child.existingObject(with: ada.objectID) as? Visitor)
    visitor.table = table
    #expect(ada.table == nil)
    (visitor.name, table.label) = ("A", "W")
    try child.save()
    #expect(ada.table === window && window.visitors == [ada])
  }

  @Test("An object that the program has released keeps its relationships")
  func eviction() throws {
    let id = try context.insert(Visitor.self) { $0.name = "Cleo" }.objectID
    try context.save()
    (context.object(with: id) as? Visitor)?.table = window
    _ = context.registeredObjects
    #expect(window.visitors.map(\.objectID) == [id])
  }

  @Test("Observers of the relationship are notified") @MainActor
  func observation() throws {
    let main = ManagedObjectContext(graph.coordinator, concurrency: .mainActor)
    let table = try #require(try main.existingObject(with: window.objectID) as? Table)
    let visitor = try #require(try main.existingObject(with: ada.objectID) as? Visitor)
    let (visitors, seat) = (Announcement { _ = table.visitors }, Announcement { _ = visitor.table })
    visitor.table = table
    #expect(visitors.isMade && seat.isMade)
  }
}
