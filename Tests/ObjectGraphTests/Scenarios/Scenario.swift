import ObjectModel
import StoreInterface
import Testing

@testable import ObjectGraph

/// Runs a scenario on a store of the given kind, and records an issue if a step fails.
///
///     try scenario(kind) { s in
///       s.parent.insert("trip", cost: 0).save()
///       s.child.read("trip")
///       s.other.set("trip", cost: 10).save()
///       s.child.set("trip", cost: 1).save()
///       s.parent.save(expecting: .conflict(base: 0, mine: 1, theirs: 10))
///     }
///
/// The first step that fails ends the scenario. The issue lists all steps up to it. A scenario over the usual model
/// ends with further checks: a new context finds that both ends of each relationship agree, and the validator finds no
/// error in the file.
///
/// - Parameters:
///   - arguments: The arguments of the test, which the issue repeats.
///   - checksEnd: Whether the scenario ends with these checks.
func scenario(
  _ kind: Kind, _ arguments: Any..., model: Model = Travels.model,
  classes: [ManagedObject.Type] = Travels.classes, checksEnd: Bool = true,
  sourceLocation: SourceLocation = #_sourceLocation, _ body: (Scenario) throws -> Void
) throws {
  let scenario = Scenario(kind, arguments, try Graph(kind, model: model, classes: classes))
  scenario.run(checksEnd: checksEnd && model == Travels.model, body)
  if let report = scenario.report {
    Issue.record(Comment(rawValue: report), sourceLocation: sourceLocation)
  }
}

/// Contexts over one store, and the steps that they have done.
///
/// Objects have names, and a name means the same object in each context. A context is made when a step first mentions it.
final class Scenario {
  let graph: Graph
  private let title: String
  /// The steps so far, in words.
  private(set) var steps: [String] = []
  /// The number of steps that the next step is part of.
  private var depth = 0
  /// The place of the step that failed, and the reason.
  private var failure: (step: Int, reason: String)?
  private var contexts: [String: ScenarioContext] = [:]
  private var identifiers: [String: ObjectID] = [:]

  init(_ kind: Kind, _ arguments: [Any], _ graph: Graph) {
    self.graph = graph
    title = ([kind.rawValue] + arguments.map { "\($0)" }).joined(separator: ", ")
  }

  // MARK: - Contexts

  /// A context directly over the coordinator.
  var one: ScenarioContext { root("one") }
  /// A second context directly over the coordinator.
  var two: ScenarioContext { root("two") }
  /// A context directly over the coordinator, with saves that the contexts under test have not seen.
  var other: ScenarioContext { root("other") }
  /// The context between the coordinator and ``child``.
  var parent: ScenarioContext { root("parent") }
  var child: ScenarioContext { child("child", of: parent) }
  /// A second child of ``parent``.
  var sibling: ScenarioContext { child("sibling", of: parent) }
  var grandchild: ScenarioContext { child("grandchild", of: child) }

  /// A context over another coordinator of the same files, as another process has it.
  ///
  /// A store in memory has only one coordinator, so for such a store the context is like ``other``.
  var outside: ScenarioContext {
    contexts["outside"] ?? keep(ScenarioContext("outside", reopened(), in: self))
  }

  /// A new context over a new coordinator at each mention: it shows the content of the store.
  var store: ScenarioContext { ScenarioContext("store", reopened(), isNew: true, in: self) }

  /// A context directly over the coordinator, or a child of ``parent``, under the name `one`.
  func one(isChild: Bool) -> ScenarioContext {
    isChild ? child("one", of: parent) : one
  }

  private func root(_ name: String) -> ScenarioContext {
    contexts[name] ?? keep(ScenarioContext(name, graph.context(), in: self))
  }

  private func child(_ name: String, of parent: ScenarioContext) -> ScenarioContext {
    contexts[name]
      ?? keep(
        ScenarioContext(
          name, ManagedObjectContext(parent: parent.context, concurrency: .confined), in: self))
  }

  private func keep(_ context: ScenarioContext) -> ScenarioContext {
    contexts[context.name] = context
    return context
  }

  private func reopened() -> ManagedObjectContext {
    do {
      return ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    } catch {
      step("open the store again") { throw error }
      // No further step runs, so any context will do.
      return graph.context()
    }
  }

  // MARK: - Objects

  func setName(_ name: String, of object: ManagedObject) { identifiers[name] = object.objectID }

  func identifier(of name: String) throws -> ObjectID {
    guard let id = identifiers[name] else {
      throw StepFailure("No object of this scenario has the name \"\(name)\".")
    }
    return id
  }

  /// The name of an object; its address if the scenario has not named it.
  func name(of id: ObjectID) -> String {
    identifiers.first { $0.value == id }?.key ?? id.uri
  }

  // MARK: - Steps

  /// Runs a step, unless a step before it has failed.
  func step(_ words: String, _ body: () throws -> Void) {
    guard failure == nil else { return }
    let index = steps.count
    steps.append(String(repeating: "  ", count: depth) + words)
    depth += 1
    defer { depth -= 1 }
    do {
      try body()
    } catch {
      // If a step that is part of this one has failed, its reason is the better one and stays.
      if failure == nil { failure = (index, "\(error)") }
    }
  }

  func run(checksEnd: Bool, _ body: (Scenario) throws -> Void) {
    do {
      try body(self)
    } catch {
      step("end") { throw error }
    }
    if checksEnd {
      store.expectAgreement()
      step("the file is valid") { try graph.checkFile() }
    }
  }

  /// The steps up to the one that failed, and the reason; `nil` if no step failed.
  var report: String? {
    guard let failure else { return nil }
    let width = "\(steps.count)".count
    var lines = ["Step \(failure.step + 1) failed (\(title)):"]
    for (index, words) in steps.enumerated() {
      let number = "\(index + 1)"
      let space = String(repeating: " ", count: width - number.count)
      lines.append("\(index == failure.step ? ">" : " ") \(space)\(number)  \(words)")
      if index == failure.step {
        lines += failure.reason.split(separator: "\n").map { "      \($0)" }
      }
    }
    return lines.joined(separator: "\n")
  }
}

/// The reason why a step failed.
struct StepFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
