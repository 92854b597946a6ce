import ObjectModel

/// What is to be made for each entity, and under which names: decided for the whole model before the
/// first line is written.
struct ClassPlan {
  let model: Model
  let options: ModelClasses.Options
  /// The entities, in the order of the model.
  let entities: [PlannedEntity]
  /// The names of the structures for composite types, by the types' names.
  let composites: [String: String]
  /// The name of the type that has the model.
  let modelName: String
  /// The model's name as its file has it.
  let sourceName: String
  /// How types that are not the code's own are named.
  let types: TypeNames
  /// The names of the functions for templates, by the templates' names.
  let templates: [String: String]
  /// The files' names, by what is in them.
  let fileNames: [String: String]
  private let positions: [String: Int]
  /// The modules that classes are imported from, by the classes' names.
  private let modules: [String: String]

  init(of model: Model, named name: String, _ options: ModelClasses.Options) {
    self.model = model
    self.options = options
    sourceName = name
    var types = NameScope(SwiftNames.impossibleMembers.union(ReservedNames.types).union(["Any"]))
    var classes = model.entities.map { ClassChoice(of: $0, options) }
    Self.giveNames(to: &classes, in: &types)

    let names = model.description.composites.map(\.name)
    let structures = names.map { name in
      let wanted = SwiftNames.capitalized(SwiftNames.identifier(name, otherwise: "Composite"))
      return types.name(for: types.isFree(wanted) ? wanted : wanted + "Value")
    }
    composites = Dictionary(zip(names, structures)) { first, _ in first }
    let own = SwiftNames.capitalized(SwiftNames.identifier(name, otherwise: "Object"))
    modelName = types.name(for: own.hasSuffix("Model") ? own : own + "Model")

    modules = Dictionary(
      classes.compactMap { choice in choice.module.map { (choice.name, $0) } }
    ) { first, _ in first }
    let typeNames = Set(classes.map(\.name) + structures + [modelName])
    self.types = TypeNames(besides: typeNames)
    let planner = MemberPlanner(model, reserved: typeNames)
    entities = planner.entities(classes)
    positions = Dictionary(
      zip(model.entities.map(\.name), entities.indices)
    ) { first, _ in first }

    // A function of such a name would hide what the classes mean by it.
    var functions = NameScope(
      ReservedNames.members.union(SwiftNames.impossibleMembers)
        .union(ReservedNames.inTemplates(modelName: modelName)).union(typeNames)
        .union(model.entities.flatMap(\.declaredAttributes).flatMap(\.valueClassWords)))
    let templateNames = model.description.fetchRequestTemplates.map(\.name)
    templates = Dictionary(
      zip(
        templateNames,
        functions.names(
          for: templateNames.map { SwiftNames.identifier($0, otherwise: "template") }))
    ) { first, _ in first }
    fileNames = Self.fileNames(
      classes.filter { $0.kind != .none }.map(\.name) + structures, listing: own)
  }

  /// The entity of the given name.
  ///
  /// - Precondition: The model has it.
  subscript(entity: String) -> PlannedEntity { entities[positions[entity]!] }

  /// The name in Swift of a property of an entity, its own or an inherited one; `nil` if no class has it.
  func member(_ property: String, of entity: PlannedEntity) -> String? {
    var next: PlannedEntity? = entity
    while let entity = next {
      if let member = entity.members[property] { return member }
      next = entity.entity.superentity.map { self[$0] }
    }
    return nil
  }

  /// The class of an entity's objects, as code names it.
  func className(of entity: String) -> String {
    let planned = self[entity]
    return planned.hasClass ? planned.className : types.quire("ManagedObject")
  }

  /// The class of an entity's objects as the type of a property. A class with the name of a type of values is in backticks,
  /// by which the macro tells it from that type.
  func objectType(of entity: String) -> String {
    let name = className(of: entity)
    return TypeNames.ofValues.contains(name) ? "`\(name)`" : name
  }

  /// The imports of those among the classes that are of other modules.
  func imports(ofClasses names: [String], access: String) -> Set<CodeImport> {
    Set(
      names.compactMap { name in
        modules[name].map { CodeImport(module: $0, className: name, access: access) }
      })
  }

  /// The file that lists the classes.
  var listFileName: String { fileNames[""]! }

  /// Names that stay different on disks that take capital and small letters for the same.
  private static func fileNames(_ types: [String], listing name: String) -> [String: String] {
    var folded = NameScope()
    var result: [String: String] = [:]
    for type in types {
      let base = folded.name(for: type.lowercased() + "+generated")
      let added = base.drop { $0 != "+" }.drop { $0 != "_" }
      result[type] = "\(type)+Generated\(added).swift"
    }
    result[""] = "\(name)+Classes.swift"
    return result
  }

  /// Names for the classes. Those written by hand keep theirs, since nothing here can change it.
  private static func giveNames(to classes: inout [ClassChoice], in scope: inout NameScope) {
    for index in classes.indices where classes[index].kind == .none {
      if scope.isFree(classes[index].name) { _ = scope.name(for: classes[index].name) }
    }
    // As everywhere, what can keep its name is given it first.
    var waiting: [Int] = []
    for index in classes.indices where classes[index].kind != .none {
      if scope.isFree(classes[index].name) {
        _ = scope.name(for: classes[index].name)
      } else {
        waiting.append(index)
      }
    }
    for index in waiting {
      let wanted = classes[index].name
      let free = [classes[index].entityIdentifier, wanted + "Object"].first(where: scope.isFree)
      classes[index].name = scope.name(for: free ?? wanted)
    }
  }
}

/// What is to be made for one entity.
struct PlannedEntity {
  let entity: Entity
  let kind: CodeKind
  /// The name of the class.
  let className: String
  /// Whether the entity's objects have a class of their own.
  let hasClass: Bool
  /// The class inherited from; `nil` when it is that of all managed objects.
  let superclass: String?
  /// Whether other entities inherit from it.
  let isInherited: Bool
  /// The names of properties in Swift, by those in the model.
  let members: [String: String]
  /// The endings of the functions `set…` of transformable attributes, by the names of the attributes.
  let methodEndings: [String: String]
  /// The names of the bytes of transformable attributes, by the attributes' names.
  let dataMembers: [String: String]
}

/// What the model and the options say of an entity's class.
struct ClassChoice {
  var kind: CodeKind
  var name: String
  /// Whether the source names a class.
  let isNamed: Bool
  /// The entity's name as an identifier.
  let entityIdentifier: String
  /// The module to import the class from; `nil` for one of the code's own module.
  let module: String?

  init(of entity: Entity, _ options: ModelClasses.Options) {
    let setting = entity.source.attributes["codeGenerationType"]
    switch setting?.lowercased() {
    case "class": kind = .class
    case "category", "extension": kind = .category
    case "none", "manual", "manual/none": kind = .none
    default: kind = options.unmarkedEntities
    }
    entityIdentifier = SwiftNames.capitalized(
      SwiftNames.identifier(entity.name, otherwise: "Object"))
    // `.Name` is a class of the current module, `Module.Name` one of another.
    let parts = (entity.className ?? "").split(separator: ".", omittingEmptySubsequences: false)
      .map(String.init)
    let source = parts.last { !$0.isEmpty } ?? ""
    isNamed = !source.isEmpty && source != "NSManagedObject" && source != "ManagedObject"
    let named = SwiftNames.identifier(source, otherwise: "Object")
    // No type is named by a keyword.
    let isKeyword = SwiftNames.declared(named) != named
    name = isNamed ? (isKeyword ? SwiftNames.capitalized(named) : named) : entityIdentifier
    let isElsewhere =
      isNamed && kind != .class && parts.count == 2 && parts[1] == name
      && options.module != nil && parts[0] != options.module && !parts[0].isEmpty
      && SwiftNames.identifier(parts[0], otherwise: "") == parts[0]
      && SwiftNames.declared(parts[0]) == parts[0]
    module = isElsewhere ? parts[0] : nil
  }
}
