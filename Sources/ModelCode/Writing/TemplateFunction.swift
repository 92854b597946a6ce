import ObjectModel
import ObjectQuery

/// The function for a fetch request template. The template's variables are its parameters.
struct TemplateFunction {
  /// Whether a parameter has a type of Foundation.
  let usesFoundation: Bool
  private let template: FetchRequestTemplate
  private let name: String
  private let parameters: [Parameter]
  private let plan: ClassPlan

  private struct Parameter {
    let variable: String
    let name: String
    let type: VariableType
  }

  /// - Throws: ``ModelCodeError`` if the predicate can't be read.
  init(_ template: FetchRequestTemplate, _ plan: ClassPlan) throws(ModelCodeError) {
    self.template = template
    self.plan = plan
    name = plan.templates[template.name]!
    var predicate: QueryPredicate?
    if let text = template.predicate {
      do { predicate = try QueryPredicate(text) } catch {
        throw ModelCodeError(
          code: .unreadableTemplate,
          message: """
            The predicate of the fetch request template "\(CodeText.oneLine(template.name))" can't \
            be read: \(error.message)\(error.excerpt.map { "\n" + $0 } ?? "")
            """)
      }
    }
    let types = predicate.map { VariableTypes(of: $0, asked: template.entity, plan.model).types }
    let variables = (predicate?.variables ?? []).sorted()
    var scope = NameScope(
      SwiftNames.impossibleMembers.union(ReservedNames.inTemplates(modelName: plan.modelName))
        .union(["variables"]))
    let names = scope.names(for: variables.map(SwiftNames.parameter))
    parameters = zip(variables, names).map { variable, name in
      Parameter(variable: variable, name: name, type: types?[variable] ?? .any)
    }
    usesFoundation = parameters.contains { $0.type.isFoundation }
  }

  /// The class of the objects that the function's request finds.
  private var objectClass: String { plan.className(of: template.entity) }

  /// The classes of entities that the function names.
  var classes: [String] {
    [objectClass]
      + parameters.compactMap { parameter in
        switch parameter.type {
        case .object(let entity), .objects(let entity): plan.className(of: entity)
        default: nil
        }
      }
  }

  /// Writes the function as a member of the entity's class.
  func write(to lines: inout CodeLines, access: String) {
    lines.document([
      "The fetch request template \(CodeText.code(template.name)): "
        + PropertyWords.sentence(about: template) + "."
    ])
    let types = plan.types
    let closing =
      ") throws(\(types.quire("QueryError"))) -> \(types.quire("FetchRequest"))<\(objectClass)> {"
    lines.list(
      "\(access)static func \(SwiftNames.declared(name))(",
      parameters.map { "\(SwiftNames.declared($0.name)): \(text(of: $0.type))" }, closing)
    lines.indent()
    let start = [
      "template: \(CodeText.literal(template.name))", "in: \(plan.modelName).model",
    ]
    let request = "try \(types.quire("FetchRequest"))<\(objectClass)>("
    let values = parameters.map { "\(CodeText.literal($0.variable)): \(argument(for: $0))" }
    let literal = "variables: [\(values.joined(separator: ", "))]"
    if parameters.isEmpty {
      lines.list(request, start, ")")
    } else if literal.count < CodeLines.width - 8 {
      lines.list(request, start + [literal], ")")
    } else {
      let argument = "(any \(types.quire("QueryArgument")))?"
      lines.list(
        "let variables: [\(types.swift("String")): \(argument)] = [", values, "]")
      lines.list("return " + request, start + ["variables: variables"], ")")
    }
    lines.close()
  }

  private func text(of type: VariableType) -> String {
    switch type {
    case .value(let type, let isOptional): plan.types.values(type)! + (isOptional ? "?" : "")
    case .values(let type): "[\(plan.types.values(type)!)]"
    case .range(let type):
      "\(plan.types.swift("ClosedRange"))<\(plan.types.values(type)!)>"
    case .object(let entity): plan.className(of: entity) + "?"
    case .objects(let entity): "[\(plan.className(of: entity))]"
    case .number: plan.types.swift("Int")
    case .any: "(any \(plan.types.quire("QueryArgument")))?"
    }
  }

  private func argument(for parameter: Parameter) -> String {
    let name = SwiftNames.declared(parameter.name)
    return switch parameter.type {
    case .object: "\(name)?.objectID"
    case .objects: "\(name).map(\\.objectID)"
    default: name
    }
  }
}

/// The type of a variable of a predicate, as far as the comparisons with the variable determine it.
enum VariableType: Equatable {
  /// A value of an attribute's type, or `nil` if the value is optional.
  case value(AttributeType, isOptional: Bool)
  /// A list of values, of which one must match.
  case values(AttributeType)
  case range(AttributeType)
  /// An object of an entity, or none.
  case object(String)
  /// A list of objects, of which one must match.
  case objects(String)
  case number
  case any

  /// Whether the Swift type is a type of Foundation.
  var isFoundation: Bool {
    switch self {
    case .value(let type, _), .values(let type), .range(let type): TypeNames.isFoundation(type)
    default: false
    }
  }
}
