import ObjectModel

/// Writes the class of an entity, or the extension of a class written by hand.
struct ClassWriter {
  let plan: ClassPlan
  private let requests: [String: [TemplateFunction]]

  /// - Throws: ``ModelCodeError`` when a template's predicate can't be read.
  init(_ plan: ClassPlan) throws(ModelCodeError) {
    self.plan = plan
    var requests: [String: [TemplateFunction]] = [:]
    for template in plan.model.description.fetchRequestTemplates
    where plan[template.entity].kind != .none {
      requests[template.entity, default: []].append(try TemplateFunction(template, plan))
    }
    self.requests = requests
    var partCount = 0
    for entity in plan.entities where entity.kind != .none {
      for attribute in entity.entity.declaredAttributes where attribute.type == .composite {
        partCount += try CompositeParts(of: attribute, plan).leaves.count
      }
    }
    guard partCount <= CompositeParts.greatestTotal else {
      throw ModelCodeError(
        code: .tooManyParts,
        message: "The model's composite attributes have more than "
          + "\(CompositeParts.greatestTotal) parts together.")
    }
  }

  /// The access of declarations, with a space behind it.
  var access: String { plan.options.access == .internal ? "" : "\(plan.options.access) " }

  /// The file of an entity's class.
  func file(for entity: PlannedEntity, _ heading: [String]) throws(ModelCodeError) -> CodeFile {
    var lines = CodeLines()
    lines.document(documentation(of: entity))
    let properties = accessible(entity)
    lines.open(declaration(of: entity))
    writeKeys(of: entity, properties, to: &lines)
    if entity.kind == .class { writeEntityName(of: entity, to: &lines) }
    for property in properties { try write(property, of: entity, to: &lines) }
    lines.close()
    let functions = requests[entity.entity.name] ?? []
    if !functions.isEmpty {
      lines.gap()
      lines.open("extension \(entity.className)")
      for function in functions {
        lines.gap()
        function.write(to: &lines, access: access)
      }
      lines.close()
    }
    let hasFoundation =
      functions.contains(where: \.usesFoundation)
      || properties.contains { property in
        if case .attribute(let attribute) = property { usesFoundation(attribute) } else { false }
      }
    var imports: Set = [
      // For others to see where declarations show their types.
      CodeImport(
        module: "Quire",
        access: entity.superclass == nil || !properties.isEmpty || !functions.isEmpty ? access : "")
    ]
    if hasFoundation { imports.insert(CodeImport(module: "Foundation", access: access)) }
    imports.formUnion(plan.imports(ofClasses: classes(of: entity, functions), access: access))
    return CodeFile(
      name: plan.fileNames[entity.className]!, heading: heading, imports: imports,
      body: lines.lines)
  }

  /// The classes that the declarations of an entity's file name.
  private func classes(of entity: PlannedEntity, _ functions: [TemplateFunction]) -> [String] {
    var classes = functions.flatMap(\.classes) + [entity.keysSuperclass].compactMap(\.self)
    if entity.kind == .class {
      classes += [entity.superclass].compactMap(\.self)
    } else {
      classes.append(entity.className)
    }
    for property in entity.entity.declaredProperties {
      switch property {
      case .attribute: break
      case .relationship(let relationship):
        classes.append(plan.className(of: relationship.destination))
      case .fetched(let fetched): classes.append(plan.className(of: fetched.request.entity))
      }
    }
    return classes
  }

  /// Whether an attribute's values, or parts of them however deep, are of a type of Foundation: the keys and the setter
  /// of a composite attribute are about each of its parts.
  private func usesFoundation(_ attribute: Attribute) -> Bool {
    guard attribute.type == .composite else { return TypeNames.isFoundation(attribute.type) }
    let parts = attribute.compositeName.flatMap(plan.model.composite)?.storedParts ?? []
    return parts.contains(where: usesFoundation)
  }

  private func declaration(of entity: PlannedEntity) -> String {
    guard entity.kind == .class else { return "extension \(entity.className)" }
    let modifiers =
      switch (entity.isInherited, plan.options.access) {
      case (false, _): "\(access)final "
      case (true, .public): "open "
      case (true, _): access
      }
    let superclass = entity.superclass ?? plan.types.quire("ManagedObject")
    return "nonisolated \(modifiers)class \(entity.className): \(superclass)"
  }

  private func documentation(of entity: PlannedEntity) -> [String] {
    let name = CodeText.code(entity.entity.name)
    var others: [String] = []
    if entity.entity.isAbstract {
      others.append("The entity is abstract: only those that inherit from it have objects.")
    }
    if entity.kind == .category {
      others.append(
        "The class is written by hand. Its `entityName` must be \(CodeText.literal(entity.entity.name))."
      )
    } else {
      let wanted = ClassChoice(of: entity.entity, plan.options).name
      if wanted != entity.className {
        others.append("The class is not called \(CodeText.code(wanted)), since that name is taken.")
      }
    }
    for property in entity.entity.declaredProperties {
      guard let reason = whyInaccessible(property) else { continue }
      others.append("\(CodeText.code(property.name)) \(reason), and so has no accessor.")
    }
    return PropertyWords.paragraphs(
      entity.entity.userInfo, otherwise: "An object of the entity \(name).", others)
  }

  /// The properties that have accessors.
  private func accessible(_ entity: PlannedEntity) -> [Property] {
    entity.entity.declaredProperties.filter { whyInaccessible($0) == nil }
  }

  private func whyInaccessible(_ property: Property) -> String? {
    switch property {
    case .attribute(let attribute) where [.undefined, .objectID].contains(attribute.type):
      "has no type"
    case .relationship(let relationship) where relationship.isTransient:
      "is transient and leads to nothing"
    default: nil
    }
  }

  private func writeEntityName(of entity: PlannedEntity, to lines: inout CodeLines) {
    lines.gap()
    lines.line("/// The entity's name in the model.")
    let isOpen = entity.isInherited && plan.options.access == .public
    let access = isOpen ? "open " : access
    lines.line(
      "\(access)override class var entityName: \(plan.types.swift("String")) "
        + "{ \(CodeText.literal(entity.entity.name)) }")
  }
}

// MARK: - Keys

extension ClassWriter {
  /// The keys, in a type that inherits as the entities do.
  private func writeKeys(
    of entity: PlannedEntity, _ properties: [Property], to lines: inout CodeLines
  ) {
    let superclass = entity.keysSuperclass.map { ": \($0).Keys" } ?? ""
    let kind =
      entity.isInherited ? "class" : entity.keysSuperclass == nil ? "enum" : "final class"
    lines.document([
      "The names of the properties, each with its type."
        + (entity.keysSuperclass == nil ? "" : " Inherited ones are inherited here too.")
    ])
    guard !properties.isEmpty else {
      lines.line("nonisolated \(access)\(kind) Keys\(superclass) {}")
      return
    }
    lines.open("nonisolated \(access)\(kind) Keys\(superclass)")
    for property in properties { writeKey(property, of: entity, to: &lines) }
    lines.close()
  }

  private func writeKey(
    _ property: Property, of entity: PlannedEntity, to lines: inout CodeLines
  ) {
    let name = entity.keys[property.name]!
    switch property {
    case .attribute(let attribute) where attribute.type == .composite:
      writeParts(of: attribute, named: name, path: attribute.name, to: &lines)
    case .attribute(let attribute):
      write(attribute, named: name, path: attribute.name, to: &lines)
    case .relationship(let relationship):
      let type = plan.types.quire(relationship.isToMany ? "ToManyName" : "ToOneName")
      let destination = plan.className(of: relationship.destination)
      write("\(type)<\(destination)>", named: name, path: relationship.name, to: &lines)
    case .fetched(let fetched):
      let type = plan.types.quire("FetchedName")
      let destination = plan.className(of: fetched.request.entity)
      write("\(type)<\(destination)>", named: name, path: fetched.name, to: &lines)
    }
  }

  /// The keys of a composite attribute's parts, in a type of their own.
  private func writeParts(
    of attribute: Attribute, named name: String, path: String, to lines: inout CodeLines
  ) {
    lines.line("/// The parts of \(CodeText.code(path)).")
    let parts = attribute.compositeName.flatMap(plan.model.composite)?.storedParts ?? []
    guard !parts.isEmpty else {
      lines.line("nonisolated \(access)enum \(name) {}")
      return
    }
    lines.open("nonisolated \(access)enum \(name)")
    for (part, name) in zip(parts, CompositeParts.keys(of: parts)) {
      let path = "\(path).\(part.name)"
      if part.type == .composite {
        writeParts(of: part, named: name, path: path, to: &lines)
      } else {
        write(part, named: name, path: path, to: &lines)
      }
    }
    lines.close()
  }

  private func write(
    _ attribute: Attribute, named name: String, path: String, to lines: inout CodeLines
  ) {
    // What is kept of a transformable value may always be nothing.
    let isOptional = attribute.isOptional || attribute.type == .transformable
    let type = plan.types.values(attribute.type)! + (isOptional ? "?" : "")
    write("\(plan.types.quire("AttributeName"))<\(type)>", named: name, path: path, to: &lines)
  }

  private func write(
    _ type: String, named name: String, path: String, to lines: inout CodeLines
  ) {
    lines.line("/// \(CodeText.code(path))")
    lines.list(
      "\(access)static let \(SwiftNames.declared(name)) = \(type)(", [CodeText.literal(path)], ")")
  }
}
