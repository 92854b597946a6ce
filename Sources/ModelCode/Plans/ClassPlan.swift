import ObjectModel

/// The generated types of a model with their names. The plan is complete before the first line of code is written.
struct ClassPlan {
  let model: Model
  let options: ModelClasses.Options
  /// The entities, in the order of the model.
  let entities: [PlannedEntity]
  /// The names of the structures for composite types, by the types' names.
  let composites: [String: String]
  /// The name of the type that contains the model.
  let modelName: String
  /// The model's name in its file.
  let sourceName: String
  /// The spelling of types that other modules declare.
  let types: TypeNames
  /// The names of the functions for templates, by the templates' names.
  let templates: [String: String]
  /// The names of the files, by the types that they contain.
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

    // A function with one of these names would hide the type or member that the generated code refers to.
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

  /// The plan of the entity with the given name.
  ///
  /// - Precondition: The model has the entity.
  subscript(entity: String) -> PlannedEntity { entities[positions[entity]!] }

  /// Returns the Swift name of an entity's own or inherited property; `nil` if no class has the property.
  func member(_ property: String, of entity: PlannedEntity) -> String? {
    var next: PlannedEntity? = entity
    while let entity = next {
      if let member = entity.members[property] { return member }
      next = entity.entity.superentity.map { self[$0] }
    }
    return nil
  }

  /// Returns the class of an entity's objects, as code spells it.
  func className(of entity: String) -> String {
    let planned = self[entity]
    return planned.hasClass ? planned.className : types.quire("ManagedObject")
  }

  /// Returns the class of an entity's objects as the type of a property. A class with the name of a value type is in
  /// backticks, by which the macro tells the two apart.
  func objectType(of entity: String) -> String {
    let name = className(of: entity)
    return TypeNames.ofValues.contains(name) ? "`\(name)`" : name
  }

  /// Returns the imports of the given classes that other modules declare.
  func imports(ofClasses names: [String], access: String) -> Set<CodeImport> {
    Set(
      names.compactMap { name in
        modules[name].map { CodeImport(module: $0, className: name, access: access) }
      })
  }

  /// The name of the file that lists the classes.
  var listFileName: String { fileNames[""]! }

  /// Returns file names that stay different on file systems that ignore case.
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

  /// Gives names to the classes. Classes written by hand keep theirs, because generated code can't rename them.
  private static func giveNames(to classes: inout [ClassChoice], in scope: inout NameScope) {
    for index in classes.indices where classes[index].kind == .none {
      if scope.isFree(classes[index].name) { _ = scope.name(for: classes[index].name) }
    }
    // Free names are given out first, so that a clash does not rename further classes.
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

/// The plan of one entity.
struct PlannedEntity {
  let entity: Entity
  let kind: CodeKind
  let className: String
  /// Whether the entity's objects have their own class.
  let hasClass: Bool
  /// The superclass; `nil` if it is the class of all managed objects.
  let superclass: String?
  /// Whether the entity has subentities.
  let isInherited: Bool
  /// The Swift names of properties, by their names in the model.
  let members: [String: String]
  /// The endings of the functions `set…` of transformable attributes, by the names of the attributes.
  let methodEndings: [String: String]
  /// The names of the data properties of transformable attributes, by the attributes' names.
  let dataMembers: [String: String]
}

/// The class of an entity as the model and the options request it.
struct ClassChoice {
  var kind: CodeKind
  var name: String
  /// Whether the source names a class.
  let isNamed: Bool
  /// The entity's name as an identifier.
  let entityIdentifier: String
  /// The module to import the class from; `nil` if the generated code's own module declares the class.
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
    // `.Name` is a class of the current module, `Module.Name` a class of another module.
    let parts = (entity.className ?? "").split(separator: ".", omittingEmptySubsequences: false)
      .map(String.init)
    let source = parts.last { !$0.isEmpty } ?? ""
    isNamed = !source.isEmpty && source != "NSManagedObject" && source != "ManagedObject"
    let named = SwiftNames.identifier(source, otherwise: "Object")
    // A keyword can't name a type.
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
