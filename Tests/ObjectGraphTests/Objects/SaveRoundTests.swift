import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

/// A save asks hooks, validators and observers again until they change nothing. They may also freeze their changes, which
/// leaves no open draft behind.
@Suite("Rounds of a save")
final class SaveRoundTests {
  private static let model: Model = try! Model(entities: [
    Entity(
      "Diarist",
      properties: [
        .attribute(Attribute("book", .string)), .attribute(Attribute("text", .string)),
        .attribute(Attribute("count", .int32, isOptional: false, defaultValue: .integer(0))),
        .attribute(Attribute("loud", .string, derivation: .init("uppercase:(text)"))),
        .attribute(Attribute("saved", .date, derivation: .init("now()"))),
        .relationship(Relationship("parent", to: "Diarist", inverse: "children")),
        .relationship(
          Relationship(
            "children", to: "Diarist", inverse: "parent", count: .toMany, deleteRule: .cascade)),
      ])
  ])

  private let graph: Graph
  private let context: ManagedObjectContext
  private let name = UUID().uuidString
  private let one: Diarist
  private let two: Diarist

  init() throws {
    graph = try Graph(.memory, model: SaveRoundTests.model, classes: [Diarist.self])
    context = graph.context()
    context.name = name
    one = try context.insert(Diarist.self)
    two = try context.insert(Diarist.self)
    try context.save()
    _ = events
  }

  deinit {
    Diarist.lock.withLock {
      for object in [one, two] { Diarist.reactions[object.objectID] = nil }
    }
  }

  /// The events since the last read of this property.
  private var events: [String] { Diary.shared.take(name) }

  /// Sets the reaction of an object to one of its hooks.
  private func react(_ object: Diarist, to hook: String, _ reaction: @escaping () throws -> Void) {
    Diarist.lock.withLock {
      Diarist.reactions[object.objectID] = { what, _ in if what == hook { try! reaction() } }
    }
  }

  @Test("An object that willSave of another object has changed and frozen is asked too")
  func frozenInWillSave() throws {
    react(one, to: "willSave") { [context, two] in
      if two.count > 0 { return }
      two.count = 1
      try context.processPendingChanges()
    }
    one.text = "go"
    try context.save()

    #expect(events.count { $0 == "willSave" } == 3)
    #expect(!context.hasChanges)
  }

  @Test("A value that a validator has corrected and frozen is derived again")
  func frozenInValidation() throws {
    react(one, to: "validateForUpdate") { [context, one] in
      one.text = "corrected"
      try context.processPendingChanges()
    }
    one.text = "go"
    try context.save()

    #expect(one.value(forKey: "loud") as? String == "CORRECTED")
    #expect(events.count { $0 == "validateForUpdate" } == 1)
  }

  @Test("A change that an observer has frozen is validated again")
  func frozenByObserver() throws {
    react(one, to: "willSave") { [one] in if one.count == 0 { one.count = 1 } }
    // SAFETY: The context calls the observer on the thread of this test.
    nonisolated(unsafe) let one = one
    let observer = NotificationCenter.default.addObserver(
      forName: .managedObjectContextObjectsDidChange, object: context, queue: nil
    ) { [context] _ in
      // The observer sees the change of `willSave`, after the first validation.
      guard one.count == 1 else { return }
      one.count = 2
      try! context.processPendingChanges()
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    one.text = "go"
    try context.save()

    #expect(events.count { $0 == "validateForUpdate" } == 2)
    #expect(one.count == 2 && !context.hasChanges)
  }

  @Test("A save within willSave saves everything, and leaves nothing to the outer save")
  func savedInWillSave() throws {
    react(one, to: "willSave") { [context, one] in
      if one.count > 0 { return }
      one.count = 1
      try context.save()
    }
    one.text = "go"
    try context.save()

    #expect(!context.hasChanges)
    #expect(events.count { $0 == "didSave" } == 1)
    let saved = try graph.again().fetch(Diarist.self, where: QueryPredicate("count == 1"))
    #expect(saved.count == 1)
  }

  @Test("A willSave that refreshes another object does not keep the save from its end")
  func refreshedInWillSave() throws {
    one.text = "come"
    try context.save()
    let usual = events.count { $0 == "willSave" }
    react(one, to: "willSave") { [context, two] in context.refresh(two, mergeChanges: true) }
    one.text = "go"
    try context.save()

    #expect(!context.hasChanges)
    #expect(events.count { $0 == "willSave" } <= usual + 1)
  }

  @Test("A save that another context overtakes within willSave validates the merged values")
  func overtakenInWillSave() throws {
    let other = graph.context()
    let theirs = try #require(try other.existingObject(with: one.objectID) as? Diarist)
    var isDone = false
    react(one, to: "willSave") { [context] in
      if isDone { return }
      isDone = true
      theirs.count = 5
      try other.save()
      _ = try context.fetch(Diarist.self)
    }
    one.text = "go"
    context.mergePolicy = .objectWins
    try context.save()

    #expect(one.count == 5 && one.text == "go")
    #expect(events.count { $0 == "validateForUpdate" } == 2)
  }

  @Test("The rounds of a save have the same time, and a change after a rollback has a new one")
  func times() throws {
    func saved() throws -> Date { try #require(one.value(forKey: "saved") as? Date) }
    one.text = "a"
    #expect(try context.validationFailures().isEmpty)
    let first = try saved()
    #expect(try context.validationFailures().isEmpty)
    #expect(try saved() == first)
    context.rollback()
    #expect(try saved() < first)

    one.text = "b"
    try context.save()

    #expect(try saved() > first)
  }
}
