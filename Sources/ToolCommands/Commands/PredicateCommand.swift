import CommandInterface
import JSONText
import ModelNotations
import ObjectModel
import ObjectQuery
import Rows

/// The command `quire predicate`.
enum PredicateCommand {
  static let text = Argument(
    "TEXT", "The predicate, in the language of NSPredicate.", kind: .predicate)
  static let model = Option(
    "model", value: "MODEL", role: .input,
    "Checks the names and types in the predicate against this model. Needs --entity.")
  static let entity = Option(
    "entity", value: "ENTITY", kind: .entity,
    "The entity of the objects that the predicate tests.")

  /// Returns the command. It reads models through `reader`.
  static func command(_ reader: ModelReader) -> Command {
    Command(
      "predicate", "parses a predicate, and prints its tree or its errors",
      discussion: """
        The first line is the predicate in Quire's own notation, which parses to the same tree. The tree \
        follows, one part on each line. A caret marks the place of an error.

        With --model and --entity the names must be properties of the entity, and the types of compared \
        values must fit. Variables are not checked.
        """,
      arguments: [text], options: [model, entity, ModelCommand.version, .format],
      examples: [
        Example("quire predicate 'a == 1 AND b CONTAINS[cd] \"x\"'", "Prints the tree."),
        Example(
          "quire predicate 'stops.@count > 2' --model Trips.xcdatamodeld --entity Trip",
          "Checks the names and types too."),
      ]
    ) { invocation in
      let predicate = try read(invocation[text])
      if let path = invocation.value(of: model) {
        guard let entity = invocation.value(of: entity) else {
          throw CommandError.wrongUsage("--model needs --entity.")
        }
        let chosen = try reader.model(
          at: path, version: invocation.value(of: ModelCommand.version))
        try check(predicate, invocation[text], entity, chosen.model)
      } else if invocation.has(entity) {
        throw CommandError.wrongUsage("--entity needs --model.")
      }
      let output = invocation.console.output
      let tree = PartOfTree(predicate)
      switch invocation.format {
      case .text: try output.writeLine("\(predicate)\n\n" + tree.lines.joined(separator: "\n"))
      case .json:
        try output.writeLine(
          JSON.object(["text": .string("\(predicate)"), "tree": tree.json]))
      }
      return .done
    }
  }

  private static func read(_ text: String) throws(CommandError) -> QueryPredicate {
    do { return try QueryPredicate(text) } catch { throw explain(error) }
  }

  private static func check(
    _ predicate: QueryPredicate, _ text: String, _ entity: String, _ model: Model
  ) throws {
    do {
      try CompiledPredicate.check(predicate, entity: entity, model: model, schema: Schema(model))
    } catch let error as QueryError {
      throw explain(error.located(in: text))
    }
  }

  private static func explain(_ error: QueryError) -> CommandError {
    CommandError(.wrongUsage, (error.excerpt.map { "\(error.message)\n\($0)" }) ?? error.message)
  }
}

/// A node of a predicate's tree, with the nodes below it.
private struct PartOfTree {
  let kind: String
  let text: String
  let parts: [PartOfTree]

  init(_ kind: String, _ text: String, _ parts: [PartOfTree] = []) {
    self.kind = kind
    self.text = text
    self.parts = parts
  }

  init(_ predicate: QueryPredicate) {
    switch predicate {
    case .constant: self.init("constant", "\(predicate)")
    case .and(let parts): self.init("compound", "AND", parts.map(PartOfTree.init))
    case .or(let parts): self.init("compound", "OR", parts.map(PartOfTree.init))
    case .not(let part): self.init("compound", "NOT", [PartOfTree(part)])
    case .comparison(let comparison):
      let modifier = comparison.modifier == .direct ? "" : comparison.modifier.rawValue + " "
      self.init(
        "comparison", modifier + comparison.operation.rawValue + comparison.options.letters,
        [PartOfTree(comparison.left), PartOfTree(comparison.right)])
    }
  }

  init(_ expression: QueryExpression) {
    switch expression {
    case .constant, .object: self.init("value", "\(expression)")
    case .evaluatedObject: self.init("object", "SELF")
    case .variable: self.init("variable", "\(expression)")
    case .keyPath(of: .evaluatedObject, _), .keyPath(of: .variable, _):
      self.init("path", "\(expression)")
    case .keyPath(of: let base, let path):
      self.init("path", path.joined(separator: "."), [PartOfTree(base)])
    case .aggregate(let parts): self.init("collection", "{…}", parts.map(PartOfTree.init))
    case .function(let function, let arguments):
      self.init("function", function.rawValue, arguments.map(PartOfTree.init))
    case .call(let target, let name, let arguments):
      self.init("method", name, ([target] + arguments).map(PartOfTree.init))
    case .element(of: let collection, let index):
      var parts = [PartOfTree(collection)]
      let name: String
      switch index {
      case .first: name = "[FIRST]"
      case .last: name = "[LAST]"
      case .size: name = "[SIZE]"
      case .at(let place):
        name = "[…]"
        parts.append(PartOfTree(place))
      }
      self.init("element", name, parts)
    case .set(let operation, let left, let right):
      self.init("set", operation.rawValue, [PartOfTree(left), PartOfTree(right)])
    case .subquery(let collection, variable: let name, let predicate):
      self.init("subquery", "SUBQUERY $\(name)", [PartOfTree(collection), PartOfTree(predicate)])
    case .conditional(let predicate, let then, let otherwise):
      self.init(
        "conditional", "TERNARY",
        [PartOfTree(predicate), PartOfTree(then), PartOfTree(otherwise)])
    case .cast(let value, let type):
      self.init("cast", "CAST to \(type.rawValue)", [PartOfTree(value)])
    case .fetch(let entity, let predicate, let countOnly):
      self.init("fetch", "FETCH \(entity)\(countOnly ? ", count" : "")", [PartOfTree(predicate)])
    }
  }

  /// The lines of the tree. Each level is indented by two more spaces.
  var lines: [String] { [oneLine(text)] + parts.flatMap { $0.lines.map { "  " + $0 } } }

  var json: JSON {
    .object([
      "kind": .string(kind), "text": .string(text),
      "parts": parts.isEmpty ? nil : .array(parts.map(\.json)),
    ])
  }
}
