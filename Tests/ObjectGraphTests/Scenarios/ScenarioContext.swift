import ObjectModel
import ObjectQuery

@testable import ObjectGraph

/// A context of a scenario. Each method is a step, and returns the context for the next step.
///
/// A step that is given values of properties names them as the model does:
///
///     s.one.insert(person: "ada", age: 36).insert("trip", owner: "ada", members: ["ada"]).save()
///
/// A value of a relationship is the name of an object, or an array of names.
final class ScenarioContext {
  let name: String
  let context: ManagedObjectContext
  /// Whether the context is new, so that an object that it can't find is a failure.
  private let isNew: Bool
  /// The scenario, which outlives its contexts.
  unowned let scenario: Scenario
  /// The objects that the scenario holds, by name.
  private var held: [String: ManagedObject] = [:]
  private var undoStack: UndoStack?

  init(_ name: String, _ context: ManagedObjectContext, isNew: Bool = false, in scenario: Scenario)
  {
    self.name = name
    self.context = context
    self.isNew = isNew
    self.scenario = scenario
    context.name = name
  }

  /// Runs a step for which a method is missing here.
  @discardableResult
  func step(_ words: String, _ body: (ManagedObjectContext) throws -> Void) -> ScenarioContext {
    scenario.step("\(name): \(words)") { try body(context) }
    return self
  }

  /// Returns the object with the name in this context, and holds it from now on.
  func object(_ name: String) throws -> ManagedObject {
    if let object = held[name] { return object }
    let id = try scenario.identifier(of: name)
    let object = isNew ? try context.existingObject(with: id) : context.object(with: id)
    held[name] = object
    return object
  }

  private func step(
    _ verb: String, _ names: [String], _ body: (ManagedObject) throws -> Void
  ) -> ScenarioContext {
    step("\(verb) \(names.joined(separator: ", "))") { _ in
      for name in names { try body(try object(name)) }
    }
  }
}

// MARK: - Objects and values

extension ScenarioContext {
  /// Inserts an object: `insert("trip", cost: 0)`, or `insert(trip: "coast")` under another name.
  ///
  /// A required name or number that is not given is the name of the object.
  var insert: PropertyStep {
    PropertyStep(self, "insert") { [self] label, name, values in
      let entity = label.isEmpty ? name : label
      let object = try context.insert(entity.prefix(1).uppercased() + entity.dropFirst())
      held[name] = object
      scenario.setName(name, of: object)
      for attribute in object.entity.attributes
      where ["name", "number"].contains(attribute.name) && attribute.type == .string
        && !attribute.isOptional
      { object[attribute.name] = .string(name) }
      for (key, value) in values { try set(value, for: key, of: object) }
    }
  }

  /// Sets values of an object: `set("trip", cost: 1, owner: "ada", members: [])`.
  var set: PropertyStep {
    PropertyStep(self, "set") { [self] _, name, values in
      for (key, value) in values { try set(value, for: key, of: object(name)) }
    }
  }

  /// Adds objects to a to-many relationship: `add("trip", members: "ada")`.
  var add: PropertyStep {
    PropertyStep(self, "add") { [self] _, name, values in
      for (key, value) in values {
        for other in value.names { try object(name).add(object(other), to: key) }
      }
    }
  }

  /// Removes objects from a to-many relationship: `remove("trip", members: "ada")`.
  var remove: PropertyStep {
    PropertyStep(self, "remove") { [self] _, name, values in
      for (key, value) in values {
        for other in value.names { try object(name).remove(object(other), from: key) }
      }
    }
  }

  /// Puts an object at a place of an ordered relationship: `put("lisbon", into: "stops", of: "trip", at: 0)`.
  @discardableResult
  func put(_ name: String, into key: String, of owner: String, at index: Int) -> ScenarioContext {
    step("put \(name) into \(key) of \(owner) at \(index)") { _ in
      try object(owner).insert(object(name), into: key, at: index)
    }
  }

  @discardableResult
  func delete(_ names: String...) -> ScenarioContext {
    step("delete", names) { context.delete($0) }
  }

  /// Reads every attribute of the objects, so that the context has them.
  @discardableResult
  func read(_ names: String...) -> ScenarioContext {
    step("read", names) { object in
      for attribute in object.entity.attributes { _ = object[attribute.name] }
    }
  }

  /// Looks the objects up in the context, which may advance to find them.
  @discardableResult
  func find(_ names: String...) -> ScenarioContext {
    step("find \(names.joined(separator: ", "))") { _ in
      for name in names {
        held[name] = try context.existingObject(with: scenario.identifier(of: name))
      }
    }
  }

  /// Releases the scenario's references to the objects, so that only the context refers to them.
  @discardableResult
  func release(_ names: String...) -> ScenarioContext {
    step("release \(names.joined(separator: ", "))") { _ in
      for name in names { held[name] = nil }
    }
  }

  private func set(_ value: StepValue, for key: String, of object: ManagedObject) throws {
    if object.entity.relationships.contains(where: { $0.name == key }) {
      object.setObjects(try value.names.map(self.object), forKey: key)
    } else {
      object[key] = try value.value(for: key, of: object)
    }
  }
}

// MARK: - Advancing

extension ScenarioContext {
  /// Advances the context by a fetch of an entity that no scenario uses.
  @discardableResult
  func fetch() -> ScenarioContext {
    step("fetch") { _ = try $0.fetch(FetchRequest("Person")) }
  }

  /// Fetches objects by a predicate, and expects the given ones in any order.
  @discardableResult
  func fetch(_ entity: String, where text: String, finds names: [String]) -> ScenarioContext {
    step("fetch \(entity) where \(text), finds \(names)") { context in
      let found = try context.fetch(FetchRequest(entity, where: QueryPredicate(text)))
      try require(found, names)
    }
  }

  @discardableResult
  func refresh(_ names: String..., keepingChanges: Bool) -> ScenarioContext {
    step(keepingChanges ? "refresh, keeping changes," : "refresh", names) {
      context.refresh($0, mergeChanges: keepingChanges)
    }
  }

  @discardableResult
  func refreshAll() -> ScenarioContext { step("refresh all") { $0.refreshAllObjects() } }

  /// Merges saves of other contexts automatically from now on.
  @discardableResult
  func follow() -> ScenarioContext {
    step("follow") { $0.automaticallyMergesChangesFromParent = true }
  }

  /// Stays at the newest commit of this moment.
  @discardableResult
  func pin() -> ScenarioContext {
    step("pin") { try $0.setQueryGeneration(QueryGeneration($0.coordinator)) }
  }

  /// Releases the objects that the program does not hold.
  @discardableResult
  func sweep() -> ScenarioContext { step("sweep") { $0.workspace.sweep() } }
}

// MARK: - Saving

extension ScenarioContext {
  @discardableResult
  func policy(_ policy: ScenarioPolicy) -> ScenarioContext {
    step("policy \(policy)") { $0.mergePolicy = policy.policy }
  }

  @discardableResult
  func process() -> ScenarioContext { step("process") { try $0.processPendingChanges() } }

  /// Saves, and expects that the save succeeds or is refused in the given way.
  @discardableResult
  func save(expecting refusal: SaveRefusal? = nil) -> ScenarioContext {
    step("save" + (refusal.map { ", expecting \($0)" } ?? "")) { context in
      try save(context, expecting: refusal)
    }
  }

  /// Saves, and runs `body` once after the save has prepared its changes and before it commits them.
  ///
  /// - Parameter attempts: The expected number of times that the save prepares its changes; `nil` for any number.
  @discardableResult
  func save(
    attempts: Int? = nil, expecting refusal: SaveRefusal? = nil, overtakenBy body: () -> Void
  ) -> ScenarioContext {
    step("save, overtaken" + (refusal.map { ", expecting \($0)" } ?? "")) { context in
      let count = try overtaking(
        context, by: body, during: { try save(context, expecting: refusal) })
      if let attempts, count != attempts {
        throw StepFailure("The save was tried \(count) times, not \(attempts).")
      }
    }
  }

  /// Pushes all changes to the parent without waiting for it.
  @discardableResult
  func handOver() -> ScenarioContext { step("hand over") { try $0.handOver() } }

  /// Gives all changes to the parent by a save, or by a push without waiting.
  @discardableResult
  func push(handingOver: Bool) -> ScenarioContext { handingOver ? handOver() : save() }

  @discardableResult
  func rollback() -> ScenarioContext { step("roll back") { $0.rollback() } }

  private func save(_ context: ManagedObjectContext, expecting refusal: SaveRefusal?) throws {
    guard let refusal else { return try context.save() }
    do {
      try context.save()
    } catch {
      return try refusal.check(error, scenario)
    }
    throw StepFailure("The save succeeded.")
  }
}

// MARK: - Undo

extension ScenarioContext {
  /// Records changes for undo from now on. A second call uses the stack of the first one again.
  @discardableResult
  func startUndo() -> ScenarioContext {
    step("start undo") { context in
      let stack = undoStack ?? UndoStack()
      undoStack = stack
      context.undoStack = stack
    }
  }

  /// Removes the undo stack from the context, and keeps it for later.
  @discardableResult
  func stopUndo() -> ScenarioContext { step("stop undo") { $0.undoStack = nil } }

  @discardableResult
  func undo() -> ScenarioContext {
    step("undo") { _ in
      guard try undoStack?.undo() == true else { throw StepFailure("There is nothing to undo.") }
    }
  }

  @discardableResult
  func undoAll() -> ScenarioContext {
    step("undo all") { _ in while try undoStack?.undo() == true {} }
  }

  @discardableResult
  func redo() -> ScenarioContext {
    step("redo") { _ in
      guard try undoStack?.redo() == true else { throw StepFailure("There is nothing to redo.") }
    }
  }

  /// Runs steps without a record of their changes for undo.
  @discardableResult
  func withoutUndo(_ body: () -> Void) -> ScenarioContext {
    step("without undo") { _ in try undoStack?.withoutUndo(body) }
  }
}
