import ObjectGraph
import ObjectModel
import Testing

@Suite("Merge policies, case by case")
struct MergePolicyTests {
  /// The changes of both contexts to a person with the name "base" and the age 1.
  enum Situation: String, CaseIterable {
    /// Both contexts have changed the name. The second context has changed the age as well.
    case contested
    /// This context has changed the name, and the second context has changed the age.
    case apart
    /// This context has deleted the person, and the second context has changed the name.
    case deletedHere
    /// This context has changed the name, and the second context has deleted the person.
    case deletedThere
    /// Both contexts have deleted the person.
    case deletedByBoth
  }

  /// The result of a save.
  enum Outcome {
    case refused
    case gone
    case saved(name: StepValue, age: StepValue)
  }

  /// A policy and the outcome of each situation.
  struct Case: Sendable, CustomTestStringConvertible {
    let policy: ScenarioPolicy
    let outcomes: [Situation: Outcome]
    var testDescription: String { policy.description }
  }

  static let cases: [Case] = [
    Case(
      policy: .error,
      outcomes: [
        .contested: .refused, .apart: .refused, .deletedHere: .refused, .deletedThere: .refused,
        .deletedByBoth: .gone,
      ]),
    Case(
      policy: .storeWins,
      outcomes: [
        .contested: .saved(name: "theirs", age: 2), .apart: .saved(name: "mine", age: 2),
        .deletedHere: .saved(name: "theirs", age: 1), .deletedThere: .gone, .deletedByBoth: .gone,
      ]),
    Case(
      policy: .objectWins,
      outcomes: [
        .contested: .saved(name: "mine", age: 2), .apart: .saved(name: "mine", age: 2),
        .deletedHere: .gone, .deletedThere: .saved(name: "mine", age: 1), .deletedByBoth: .gone,
      ]),
    Case(
      policy: .overwrite,
      outcomes: [
        .contested: .saved(name: "mine", age: 1), .apart: .saved(name: "mine", age: 1),
        .deletedHere: .gone, .deletedThere: .saved(name: "mine", age: 1), .deletedByBoth: .gone,
      ]),
    Case(
      policy: .rollback,
      outcomes: [
        .contested: .saved(name: "theirs", age: 2), .apart: .saved(name: "base", age: 2),
        .deletedHere: .saved(name: "theirs", age: 1), .deletedThere: .gone, .deletedByBoth: .gone,
      ]),
    Case(
      policy: ScenarioPolicy("custom values", .custom { _ in .save(["name": .string("chosen")]) }),
      outcomes: [
        .contested: .saved(name: "chosen", age: 2), .apart: .saved(name: "chosen", age: 2),
        .deletedHere: .saved(name: "chosen", age: 1), .deletedByBoth: .gone,
      ]),
    Case(
      policy: ScenarioPolicy("custom deletion", .custom { _ in .delete }),
      outcomes: [
        .contested: .gone, .apart: .gone, .deletedHere: .gone, .deletedThere: .gone,
        .deletedByBoth: .gone,
      ]),
    Case(
      policy: ScenarioPolicy("custom refusal", .custom { throw Unwanted(what: $0.entity) }),
      outcomes: [
        .contested: .refused, .apart: .refused, .deletedHere: .refused, .deletedByBoth: .gone,
      ]),
  ]

  @Test("Each policy resolves each situation as it promises", arguments: Kind.allCases, Self.cases)
  func outcomes(_ kind: Kind, _ policy: Case) throws {
    for (situation, outcome) in policy.outcomes {
      try scenario(kind, policy.policy, situation) { s in
        s.one.policy(policy.policy).insert(person: "ada", name: "base", age: 1)
        s.one.insert(person: "bystander").save()
        switch situation {
        case .contested: s.two.set("ada", name: "theirs", age: 2)
        case .apart: s.two.set("ada", age: 2)
        case .deletedHere: s.two.set("ada", name: "theirs")
        case .deletedThere, .deletedByBoth: s.two.delete("ada")
        }
        s.two.save()
        switch situation {
        case .contested, .apart, .deletedThere: s.one.set("ada", name: "mine")
        case .deletedHere, .deletedByBoth: s.one.delete("ada")
        }
        s.one.set("bystander", age: 50)

        if case .refused = outcome {
          s.one.save(expecting: policy.policy.isError ? conflict(situation) : .unwanted)
          s.one.expectChanges().expectUpdated("bystander")
        } else {
          s.one.save().expectNoChanges()
          s.store.expect("bystander", age: 50)
        }
        for context in [s.store, s.one] {
          switch outcome {
          case .refused: break
          case .gone: context.contains(person: ["bystander"])
          case .saved(let name, let age):
            context.contains(person: ["ada", "bystander"]).expect("ada", name: name, age: age)
          }
        }
      }
    }
  }

  /// The conflict of the situation when no policy resolves it.
  private func conflict(_ situation: Situation) -> SaveRefusal {
    switch situation {
    case .contested: .conflict("ada", "name", base: "base", mine: "mine", theirs: "theirs")
    case .apart: .conflictAboutObject("ada")
    case .deletedHere, .deletedByBoth: .deletedHere("ada", base: ["name": "base"])
    case .deletedThere: .deletedThere("ada", base: ["name": "base"], mine: ["name": "mine"])
    }
  }

  @Test(
    "A value of the wrong type from a custom policy is an error, and the changes are kept",
    arguments: Kind.allCases)
  func wrongValue(_ kind: Kind) throws {
    let wrong = ScenarioPolicy("of an integer", .custom { _ in .save(["cost": .integer(5)]) })
    let right = ScenarioPolicy("of a double", .custom { _ in .save(["cost": .double(5)]) })
    try scenario(kind) { s in
      s.one.insert("trip").save()
      s.other.set("trip", cost: 10).save()
      s.one.set("trip", cost: 1).policy(wrong).save(expecting: .error(with: "cost"))
      s.one.policy(right).save().expect("trip", cost: 5)
      s.other.expectNoChanges()
    }
  }
}
