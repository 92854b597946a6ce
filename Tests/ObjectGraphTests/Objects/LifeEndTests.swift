import Foundation
import ObjectModel
import ObjectQuery
import Testing

@testable import ObjectGraph

@Suite("The state of objects that are gone")
struct LifeEndTests {
  /// Returns the properties that programs of Core Data read of an object, in one line.
  private func state(_ object: ManagedObject) -> String {
    """
    hasChanges \(object.hasChanges), isDeleted \(object.isDeleted), \
    \(object.managedObjectContext == nil ? "no context" : "in its context")
    """
  }

  private let free = "hasChanges false, isDeleted false, no context"
  private let deletedElsewhere = "hasChanges false, isDeleted true, in its context"

  @Test("An object leaves its context when its deletion is saved", arguments: Kind.allCases)
  func savedDeletion(_ kind: Kind) throws {
    let context = try Graph(kind).context()
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    let trip = try context.insert(Trip.self) {
      $0.name = "Porto"
      $0.owner = ada
    }
    try context.save()
    context.delete(ada)
    #expect(state(ada) == "hasChanges true, isDeleted true, in its context")
    try context.save()
    // The delete rule has also deleted the trip.
    #expect(state(ada) == free && state(trip) == free)
    #expect(!context.hasChanges && context.deletedObjects.isEmpty)
    #expect(context.registeredObject(for: ada.objectID) == nil)
    #expect(ada.name == "Ada", "The last values may still be read.")
    // The object can no longer be changed or deleted.
    context.delete(ada)
    ada.name = "Bo"
    #expect(!context.hasChanges && state(ada) == free)
    try context.save()
  }

  @Test(
    "An object leaves a child when its deletion is saved there, and the parent after its own save",
    arguments: Kind.allCases)
  func nested(_ kind: Kind) throws {
    let parent = try Graph(kind).context()
    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    let ada = try parent.insert(Person.self) { $0.name = "Ada" }
    try parent.save()
    let theirs = child.object(ada)
    child.delete(theirs)
    try child.save()
    #expect(state(theirs) == free)
    #expect(state(ada) == "hasChanges true, isDeleted true, in its context")
    try parent.save()
    #expect(state(ada) == free)
  }

  @Test("An insertion that was deleted or rolled back leaves the context", arguments: Kind.allCases)
  func insertion(_ kind: Kind) throws {
    let context = try Graph(kind).context()
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    context.delete(ada)
    try context.save()
    let bo = try context.insert(Person.self) { $0.name = "Bo" }
    context.rollback()
    #expect(state(ada) == free && state(bo) == free && !bo.isInserted)
  }

  @Test(
    "An undone insertion leaves its object in the context until it is redone",
    arguments: Kind.allCases)
  func undoneInsertion(_ kind: Kind) throws {
    let context = try Graph(kind).context()
    let undo = UndoStack()
    context.undoStack = undo
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    try undo.undo()
    #expect(!context.hasChanges && state(ada) == deletedElsewhere)
    try undo.redo()
    #expect(ada.isInserted && !ada.isDeleted && ada.name == "Ada")
  }

  @Test("Undo of a saved deletion puts the object back into its context", arguments: Kind.allCases)
  func undo(_ kind: Kind) throws {
    let context = try Graph(kind).context()
    let undo = UndoStack()
    context.undoStack = undo
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    try context.save()
    context.delete(ada)
    try context.save()
    try undo.undo()
    let again = try #require(try context.existingObject(with: ada.objectID) as? Person)
    #expect(again.name == "Ada" && again.isInserted && !again.isDeleted)
    #expect(again.managedObjectContext === context)
    try context.save()
  }

  @Test(
    "An object that another context has deleted is deleted after a merge", arguments: Kind.allCases)
  func mergedDeletion(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let (here, there) = (graph.context(), graph.context())
    let (ada, bo) = (try here.insert(Person.self), try here.insert(Person.self))
    for person in [ada, bo] { person.name = "Ada" }
    try here.save()
    there.delete(there.object(ada))
    try there.save()
    #expect(!ada.isDeleted)
    here.automaticallyMergesChangesFromParent = true
    there.delete(there.object(bo))
    try there.save()
    try here.processPendingChanges()
    #expect(state(bo) == deletedElsewhere)
    here.refreshAllObjects()
    #expect(ada["name"] == .null && state(ada) == deletedElsewhere)
    #expect(!here.hasChanges && here.deletedObjects.isEmpty)
  }

  @Test(
    "A fault without a row becomes a deleted object when it is read", arguments: Kind.allCases)
  func vanishedFault(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let (here, there) = (graph.context(), graph.context())
    let ada = try there.insert(Person.self) { $0.name = "Ada" }
    let trip = try there.insert(Trip.self) {
      $0.name = "Porto"
      $0.cost = 3
      $0.owner = ada
    }
    try there.save()
    let (id, tripID) = (ada.objectID, trip.objectID)
    there.delete(ada)
    try there.save()

    let fault = try #require(here.object(with: id) as? Person)
    #expect(fault.isFault && !fault.isDeleted)
    #expect(fault["name"] == .null && fault.trips.isEmpty && fault.passport == nil)
    #expect(state(fault) == deletedElsewhere)
    let second = try #require(here.object(with: tripID) as? Trip)
    #expect(second.owner == nil && second["cost"] == .null && second.isDeleted)
    #expect(!here.hasChanges && here.deletedObjects.isEmpty)
    #expect(throws: ContextError.self) { try here.existingObject(with: id) }
    try here.save()

    // A refresh that does not find the object has the same effect.
    let known = try there.insert(Person.self) { $0.name = "Bo" }
    try there.save()
    let bo = here.object(known)
    _ = bo.name
    there.delete(known)
    try there.save()
    here.refresh(bo, mergeChanges: false)
    #expect(bo["name"] == .null && state(bo) == deletedElsewhere)
  }

  @Test(
    "Faults that the program holds show their values after their context has ended",
    arguments: Kind.allCases)
  func faultsAfterTheEnd(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let writer = graph.context()
    for number in 0..<5 {
      try writer.insert(Person.self) {
        $0.name = "P\(number)"
        $0["photo"] = .binary(Data(repeating: UInt8(number), count: 200_000))
      }
    }
    try writer.save()
    let ids = try writer.fetchIdentifiers(FetchRequest("Person", sortedBy: [SortKey("name")]))

    var context: ManagedObjectContext? = graph.context()
    let found = try #require(context).fetch(
      Person.self, where: QueryPredicate("name != 'P0'"), sortedBy: [SortKey("name")], limit: 3)
    let fault = try #require(context?.object(with: ids[0]) as? Person)
    let refreshed = try #require(context?.existingObject(with: ids[4]) as? Person)
    #expect(refreshed.name == "P4")
    context?.refresh(refreshed, mergeChanges: false)
    weak let ended = context
    context = nil

    #expect(ended == nil)
    let held = [fault] + found + [refreshed]
    #expect(held.map(\.name) == ["P0", "P1", "P2", "P3", "P4"])
    for (number, object) in held.enumerated() {
      #expect(object["photo"] == .binary(Data(repeating: UInt8(number), count: 200_000)))
      #expect(state(object) == free)
    }
  }

  @Test("A child's held faults show the changes the parent published", arguments: Kind.allCases)
  func faultsOfAChild(_ kind: Kind) throws {
    let parent = try Graph(kind).context()
    let ada = try parent.insert(Person.self) { $0.name = "Ada" }
    try parent.save()
    ada.name = "Ada Lovelace"
    try parent.processPendingChanges()

    var child: ManagedObjectContext? = ManagedObjectContext(parent: parent, concurrency: .confined)
    let fault = try #require(child?.object(with: ada.objectID) as? Person)
    child = nil

    #expect(fault.name == "Ada Lovelace")
  }

  @Test(
    "After a saved deletion an object stays out of its context when another context restores it",
    arguments: Kind.allCases)
  func refreshedAfterDeletion(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let (one, two) = (graph.context(), graph.context())
    let ada = try one.insert(Person.self) { $0.name = "Ada" }
    try one.save()
    let theirs = try #require(try two.existingObject(with: ada.objectID) as? Person)
    theirs.age = 40
    two.mergePolicy = .objectWins
    one.delete(ada)
    try one.save()
    try two.save()
    one.refreshAllObjects()
    let found = try #require(try one.fetch(Person.self).first)
    #expect(found !== ada && found.age == 40)

    one.refresh(ada, mergeChanges: false)
    ada.age = 50

    #expect(ada.managedObjectContext == nil && !one.hasChanges && found.age == 40)
    found.age = 60
    try one.save()
    #expect(try graph.again().fetch(Person.self).map(\.age) == [60])
  }

  @Test(
    "A reference to an object deleted by another save is cleared when changes are discarded",
    arguments: Kind.allCases)
  func givenUpAfterDeletion(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let (one, two) = (graph.context(), graph.context())
    let trip = try one.insert(Trip.self) { $0.name = "Lisbon" }
    try one.save()
    let theirs = try #require(try two.existingObject(with: trip.objectID) as? Trip)
    theirs.name = "Porto"
    let stop = try two.insert(Stop.self)
    stop.trip = theirs
    one.delete(trip)
    try one.save()

    two.refresh(theirs, mergeChanges: false)
    try two.save()

    let leadsNowhere = try graph.again().fetch(Stop.self, where: QueryPredicate("trip == nil"))
    #expect(leadsNowhere.map(\.objectID) == [stop.objectID])
  }
}
