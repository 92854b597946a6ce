import ObjectModel
import ObjectQuery

@testable import ObjectGraph

extension ScenarioContext {
  /// Expects values of an object: `expect("trip", cost: 10, owner: "ada", members: ["ada", "bob"])`.
  ///
  /// The names of an ordered relationship are in its order.
  var expect: PropertyStep {
    PropertyStep(self, "expect") { [self] _, name, values in
      let object = try object(name)
      for (key, expected) in values {
        let found = try value(of: key, object)
        let isOrdered = object.entity.relationships.first { $0.name == key }?.isOrdered == true
        guard isOrdered ? found == expected : found.sorted == expected.sorted else {
          throw StepFailure("\(key) is \(found), not \(expected).")
        }
      }
    }
  }

  /// Expects that the context finds exactly these objects of the entities: `contains(trip: ["trip"])`.
  ///
  /// This fetches, so it advances the context.
  var contains: EntityStep {
    EntityStep(self, "contains") { [self] entity, names in
      try require(context.fetch(FetchRequest(entity)), names)
    }
  }

  /// Expects a number of objects of an entity, which are counted and not fetched.
  @discardableResult
  func expectCount(_ entity: String, _ expected: Int) -> ScenarioContext {
    step("expect \(expected) of \(entity)") { context in
      let count = try context.count(for: FetchRequest(entity))
      if count != expected { throw StepFailure("The count is \(count), not \(expected).") }
    }
  }

  /// Expects that objects are deleted in this context, or that they are not.
  @discardableResult
  func expectDeleted(_ names: String..., isDeleted: Bool = true) -> ScenarioContext {
    step("expect \(names.joined(separator: ", ")) \(isDeleted ? "deleted" : "not deleted")") { _ in
      for name in names where try object(name).isDeleted != isDeleted {
        throw StepFailure("\(name) is \(isDeleted ? "not deleted" : "deleted").")
      }
    }
  }

  /// Expects that objects are deleted in this context, or have left it with the save of their deletion.
  @discardableResult
  func expectGone(_ names: String...) -> ScenarioContext {
    step("expect \(names.joined(separator: ", ")) gone") { _ in
      for name in names where try !object(name).isGone { throw StepFailure("\(name) is there.") }
    }
  }

  /// Expects that objects have unsaved changes.
  @discardableResult
  func expectUpdated(_ names: String...) -> ScenarioContext {
    step("expect \(names.joined(separator: ", ")) updated") { _ in
      for name in names where try !object(name).isUpdated {
        throw StepFailure("\(name) is not updated.")
      }
    }
  }

  /// Expects that the context does not find objects by their identifiers.
  @discardableResult
  func expectMissing(_ names: String...) -> ScenarioContext {
    step("expect \(names.joined(separator: ", ")) missing") { context in
      for name in names {
        let id = try scenario.identifier(of: name)
        do {
          _ = try context.existingObject(with: id)
        } catch let error as ContextError where error.code == .noObject {
          continue
        }
        throw StepFailure("\(name) was found.")
      }
    }
  }

  /// Expects that the context finds the same instances as the scenario holds.
  @discardableResult
  func expectSameInstance(_ names: String...) -> ScenarioContext {
    step("expect the same instance of \(names.joined(separator: ", "))") { context in
      for name in names {
        let found = try context.existingObject(with: scenario.identifier(of: name))
        guard try found === object(name) else { throw StepFailure("\(name) is a new instance.") }
      }
    }
  }

  /// Expects that the context has unsaved changes.
  @discardableResult
  func expectChanges() -> ScenarioContext {
    step("expect changes") {
      if !$0.hasChanges { throw StepFailure("The context has no changes.") }
    }
  }

  /// Expects that the context has no unsaved changes.
  @discardableResult
  func expectNoChanges() -> ScenarioContext {
    step("expect no changes") {
      if $0.hasChanges { throw StepFailure("The context has changes.") }
    }
  }

  /// Expects that both ends of each relationship agree, and that no relationship refers to a deleted object.
  @discardableResult
  func expectAgreement() -> ScenarioContext {
    step("expect agreement") { context in
      let found = try context.disagreements()
      if !found.isEmpty { throw StepFailure(found.joined(separator: "\n")) }
    }
  }

  /// Throws unless the found objects are exactly the named ones, in any order.
  func require(_ found: [ManagedObject], _ names: [String]) throws {
    let found = found.map { scenario.name(of: $0.objectID) }.sorted()
    guard found == names.sorted() else {
      throw StepFailure("Found \(found), not \(names.sorted()).")
    }
  }

  /// The value that the object shows for a property, as a scenario writes it.
  private func value(of key: String, _ object: ManagedObject) throws -> StepValue {
    guard let relationship = object.entity.relationships.first(where: { $0.name == key }) else {
      return StepValue(object[key])
    }
    if relationship.count == .toMany {
      let objects = object.value(forKey: key) as? [ManagedObject] ?? []
      return .list(objects.map { .text(scenario.name(of: $0.objectID)) })
    }
    // The reference itself is read too: it must be empty, not a reference to a deleted object.
    if object[key].isNull { return .none }
    guard let target = object.value(forKey: key) as? ManagedObject else {
      return .text("an object that is not there")
    }
    return .text(scenario.name(of: target.objectID))
  }
}
