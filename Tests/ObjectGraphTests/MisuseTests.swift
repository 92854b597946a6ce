import Dispatch
import Entities
import Foundation
import ObjectGraph
import ObjectModel
import Testing

/// A person with fewer bits for the age than the model's type has.
@Entity("Person") private final class ShortPerson: ManagedObject {
  var age: Int16
}

/// A trip whose properties differ from those of the model, each in its own way.
@Entity("Trip") private final class WrongTrip: ManagedObject {
  var name: Int
  var start: Date
  var owner: Stop?
  var stops: Stop?
  @Relationship var cost: RelatedObjects<Stop>
  @Relationship var members: RelatedObjects<Person>
  var missing: String?
}

@Entity private final class Nobody: ManagedObject {
  var name: String?
}

@Entity("Person") private final class PartOfPerson: ManagedObject {
  var name: String
  var passport: ManagedObject?
  @Relationship var joined: RelatedObjects<ManagedObject>
}

/// Misuse ends the program at once, with a message that names the remedy.
@Suite("Misuse")
struct MisuseTests {
  static func text(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  /// Returns a context with a queue of its own and the name "background".
  private static func background() throws -> ManagedObjectContext {
    let context = ManagedObjectContext(try Graph(.memory).coordinator)
    context.name = "background"
    return context
  }

  /// Reads a property of a context on a new thread, and waits for that.
  private static func readOnAnotherThread(_ context: ManagedObjectContext) {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      _ = context.hasChanges
      done.signal()
    }
    done.wait()
  }

  @Test("A context refuses an object of another context, and the message shows the right way")
  func wrongContext() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let graph = try Graph(.memory)
      let (one, two) = (graph.context(), graph.context())
      one.name = "one"
      two.name = "two"
      let ada = try one.insert(Person.self) { $0.name = "Ada" }
      let trip = try two.insert(Trip.self) { $0.name = "Lisbon" }
      trip.owner = ada
    }

    let text = Self.text(result)
    #expect(text.contains(#"belongs to the context "one" but was given to the context "two""#))
    #expect(text.contains("context.object(with: object.objectID)"))
  }

  @Test("A child refuses an object of its parent")
  func parentsObject() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let graph = try Graph(.memory)
      let parent = graph.context()
      let ada = try parent.insert(Person.self) { $0.name = "Ada" }
      let child = ManagedObjectContext(parent: parent, concurrency: .confined)
      child.delete(ada)
    }

    #expect(Self.text(result).contains("Ask this context for its own"))
  }

  @Test("A context with its own queue stops the program if it is used outside of its turn")
  func outsideOfTurn() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let context = try MisuseTests.background()
      _ = try context.fetch(Person.self)
    }

    let text = Self.text(result)
    #expect(text.contains(#"was used on the wrong thread for the context "background""#))
    #expect(text.contains("within perform or performAndWait"))
  }

  @Test("An object stops the program if it is read outside of its context's turn")
  func objectOutsideOfTurn() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let graph = try Graph(.memory)
      let context = ManagedObjectContext(graph.coordinator)
      nonisolated(unsafe) var ada: Person?
      try context.performAndWait { ada = try context.insert(Person.self) { $0.name = "Ada" } }
      print(ada!.name)
    }

    #expect(Self.text(result).contains("pass its objectID"))
  }

  @Test("An object outside of a context has no identifier")
  func looseIdentifier() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { print(Nobody().objectID) }

    #expect(Self.text(result).contains("insert it into a context first"))
  }

  @Test("An object outside of a context can't be deleted")
  func looseDeletion() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let context = ManagedObjectContext(
        try Graph(.memory).coordinator, concurrency: .confined)
      context.delete(Nobody())
    }

    #expect(Self.text(result).contains("Insert it first"))
  }

  @Test("A list of related objects stops the program if it is read outside of its context's turn")
  func listOutsideOfTurn() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let context = try MisuseTests.background()
      nonisolated(unsafe) var trips: RelatedObjects<Trip> = []
      try context.performAndWait {
        let ada = try context.insert(Person.self)
        ada.trips = [try context.insert(Trip.self), try context.insert(Trip.self)]
        trips = ada.trips
      }
      _ = trips[1]
    }

    let text = Self.text(result)
    #expect(
      text.contains(
        #"A list of objects of "Trip" was used on the wrong thread for the context "background""#))
  }

  @Test("A confined context stops the program if another thread uses it")
  func confined() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let graph = try Graph(.memory)
      let context = graph.context()
      MisuseTests.readOnAnotherThread(context)
    }

    #expect(Self.text(result).contains("confined to the thread that created it"))
  }

  @Test("The main actor's context stops the program if it is used off the main actor")
  func mainActor() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let graph = try Graph(.memory)
      let context = ManagedObjectContext(graph.coordinator, concurrency: .mainActor)
      MisuseTests.readOnAnotherThread(context)
    }

    #expect(Self.text(result).contains("belongs to the main actor"))
  }

  @Test("A message about an unknown property names the property and the existing ones")
  func unknownProperty() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let context = try Graph(.memory).context()
      let ada = try context.insert(Person.self)
      ada["nmae"] = .string("Ada")
    }

    #expect(Self.text(result).contains(#"has no property "nmae". It has: "#))
  }

  @Test("Classes that do not fit the model stop the program at the start, with all disagreements")
  func disagreement() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = try Graph(.memory, classes: [ShortPerson.self, WrongTrip.self, Nobody.self])
    }

    let text = Self.text(result)
    for line in [
      "ShortPerson.age is of the type Integer 16, and in the model Integer 32.",
      "WrongTrip.name is of the type Integer 64, and in the model String.",
      "WrongTrip.start is required, and in the model it may have no value",
      "WrongTrip.owner refers to one object of Stop, and in the model refers to one object of Person.",
      "WrongTrip.stops refers to one object of Stop, and in the model refers to many objects of Stop.",
      "WrongTrip.cost is a relationship, and in the model an attribute.",
      "The class Nobody belongs to the entity \"Nobody\", which is not in the model.",
    ] { #expect(text.contains(line), "\(line)") }
    #expect(!text.contains("WrongTrip.members"))
    // An earlier version of the model may lack a property.
    #expect(!text.contains("WrongTrip.missing"))
  }

  @Test("A class may declare fewer properties than its entity has, and a more general destination")
  func partialClass() throws {
    let context = try Graph(.memory, classes: [PartOfPerson.self]).context()
    let ada = try context.insert(PartOfPerson.self) { $0.name = "Ada" }
    #expect(ada.name == "Ada" && ada.passport == nil && ada.joined.isEmpty)
  }

  @Test("A relationship between objects of two stores stops the program")
  func acrossStores() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let graph = try Graph(.memory)
      let second = try graph.coordinator.addStore(at: "/second", type: .memory)
      let context = graph.context()
      let ada = try context.insert(Person.self) { $0.name = "Ada" }
      let trip = try context.insert(Trip.self, into: second) { $0.name = "Lisbon" }
      trip.owner = ada
    }

    #expect(Self.text(result).contains("which is in another store"))
  }

  @Test("A confined context that merges automatically blocks no save on another thread")
  func confinedMerging() async {
    await #expect(processExitsWith: .success) {
      let graph = try Graph(.memory)
      let here = graph.context()
      here.automaticallyMergesChangesFromParent = true
      _ = try here.fetch(Person.self)
      let (done, coordinator) = (DispatchSemaphore(value: 0), graph.coordinator)
      Thread.detachNewThread {
        let there = ManagedObjectContext(coordinator, concurrency: .confined)
        _ = try? there.insert(Person.self) { $0.name = "Ada" }
        try? there.save()
        done.signal()
      }
      done.wait()
    }
  }
}
