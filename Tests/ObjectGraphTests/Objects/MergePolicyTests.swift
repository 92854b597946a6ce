import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@Suite("Merge policies, case by case")
struct MergePolicyTests {
  /// What each side has done to a person called "base" of the age 1.
  enum Situation: String, CaseIterable {
    /// Both have changed the name, they the age as well.
    case contested
    /// Here the name was changed, there the age.
    case apart
    /// Deleted here, renamed there.
    case deletedHere
    /// Renamed here, deleted there.
    case deletedThere
    /// Deleted by both.
    case deletedByBoth
  }

  /// A policy and what it makes of each situation: the name and the age, nothing when the object is gone,
  /// "error" when saving fails.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let policy: MergePolicy
    let outcomes: [Situation: String]
    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(
      name: "error", policy: .error,
      outcomes: [
        .contested: "error", .apart: "error", .deletedHere: "error", .deletedThere: "error",
        .deletedByBoth: "",
      ]),
    Case(
      name: "storeWins", policy: .storeWins,
      outcomes: [
        .contested: "theirs 2", .apart: "mine 2", .deletedHere: "theirs 1", .deletedThere: "",
        .deletedByBoth: "",
      ]),
    Case(
      name: "objectWins", policy: .objectWins,
      outcomes: [
        .contested: "mine 2", .apart: "mine 2", .deletedHere: "", .deletedThere: "mine 1",
        .deletedByBoth: "",
      ]),
    Case(
      name: "overwrite", policy: .overwrite,
      outcomes: [
        .contested: "mine 1", .apart: "mine 1", .deletedHere: "", .deletedThere: "mine 1",
        .deletedByBoth: "",
      ]),
    Case(
      name: "rollback", policy: .rollback,
      outcomes: [
        .contested: "theirs 2", .apart: "base 2", .deletedHere: "theirs 1", .deletedThere: "",
        .deletedByBoth: "",
      ]),
    Case(
      name: "custom values", policy: .custom { _ in .save(["name": .string("chosen")]) },
      outcomes: [
        .contested: "chosen 2", .apart: "chosen 2", .deletedHere: "chosen 1", .deletedByBoth: "",
      ]),
    Case(
      name: "custom deletion", policy: .custom { _ in .delete },
      outcomes: [
        .contested: "", .apart: "", .deletedHere: "", .deletedThere: "", .deletedByBoth: "",
      ]),
    Case(
      name: "custom refusal", policy: .custom { throw Unwanted(what: $0.entity) },
      outcomes: [.contested: "error", .apart: "error", .deletedHere: "error", .deletedByBoth: ""]),
  ]

  @Test("Each makes of each situation what it says", arguments: Kind.allCases, Self.cases)
  func outcomes(_ kind: Kind, _ policy: Case) throws {
    for (situation, wanted) in policy.outcomes {
      let graph = try Graph(kind)
      let (one, two) = (graph.context(), graph.context())
      one.mergePolicy = policy.policy
      let mine = try one.insert(Person.self) {
        $0.name = "base"
        $0.age = 1
      }
      let bystander = try one.insert(Person.self) { $0.name = "bystander" }
      try one.save()
      let theirs = two.object(mine)
      switch situation {
      case .contested:
        (theirs.name, theirs.age) = ("theirs", 2)
      case .apart: theirs.age = 2
      case .deletedHere: theirs.name = "theirs"
      case .deletedThere, .deletedByBoth: two.delete(theirs)
      }
      try two.save()
      switch situation {
      case .contested, .apart, .deletedThere: mine.name = "mine"
      case .deletedHere, .deletedByBoth: one.delete(mine)
      }
      bystander.age = 50

      var found = ""
      do {
        try one.save()
        #expect(!one.hasChanges, "\(situation)")
      } catch is ContextError {
        found = "error"
      } catch is Unwanted {
        found = "error"
      }
      let other = try graph.again()
      let stored = try other.fetch(Person.self, where: QueryPredicate("name != 'bystander'"))
      if found == "error" {
        #expect(one.hasChanges && bystander.isUpdated, "\(situation)")
      } else {
        found = stored.map { "\($0.name) \($0.age)" }.joined(separator: ", ")
        let here = try one.fetch(Person.self, where: QueryPredicate("name != 'bystander'"))
        #expect(
          here.map { "\($0.name) \($0.age)" }.joined(separator: ", ") == found, "\(situation)")
        #expect(
          try other.count(for: FetchRequest("Person", where: QueryPredicate("age == 50"))) == 1)
      }
      #expect(found == wanted, "\(situation)")
    }
  }

  @Test(
    "A value that a custom policy makes up and that is of no such type is an error, and nothing is lost",
    arguments: Kind.allCases)
  func wrongValue(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let (one, other) = (graph.context(), graph.context())
    let mine = try one.insert(Trip.self) { $0.name = "Porto" }
    try one.save()
    let theirs = other.object(mine)
    theirs.cost = 10
    try other.save()
    mine.cost = 1
    one.mergePolicy = .custom { _ in .save(["cost": .integer(5)]) }
    let error = #expect(throws: ContextError.self) { try one.save() }
    #expect(error?.message.contains("cost") ?? false)
    one.mergePolicy = .custom { _ in .save(["cost": .double(5)]) }
    try one.save()
    #expect(mine.cost == 5 && other.hasChanges == false)
  }
}
