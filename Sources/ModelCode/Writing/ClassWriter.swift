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
  }

  /// The access modifier of declarations, followed by a space.
  var access: String { plan.options.access == .internal ? "" : "\(plan.options.access) " }

  /// Returns the file of an entity's class.
  func file(for entity: PlannedEntity, _ heading: [String]) throws(ModelCodeError) -> CodeFile {
    var lines = CodeLines()
    lines.document(documentation(of: entity))
    let properties = accessible(entity)
    if entity.kind == .class { lines.line(entityMarker(of: entity)) }
    lines.open(declaration(of: entity))
    for property in properties { write(property, of: entity, to: &lines) }
    writeConstraints(of: entity, to: &lines)
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
        if case .attribute(let attribute) = property {
          TypeNames.isFoundation(attribute.type)
        } else {
          false
        }
      }
    var imports: Set = [
      // The declarations use types of the module, also the declarations that the macro adds.
      CodeImport(
        module: "Quire",
        access: entity.kind == .class || !functions.isEmpty
          || properties.contains(where: showsQuire)
          ? access : "")
    ]
    if hasFoundation { imports.insert(CodeImport(module: "Foundation", access: access)) }
    imports.formUnion(plan.imports(ofClasses: classes(of: entity, functions), access: access))
    return CodeFile(
      name: plan.fileNames[entity.className]!, heading: heading, imports: imports,
      body: lines.lines)
  }

  /// Returns the classes that the declarations of an entity's file name.
  private func classes(of entity: PlannedEntity, _ functions: [TemplateFunction]) -> [String] {
    var classes = functions.flatMap(\.classes)
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

  /// Whether the declaration of a property names a type of Quire.
  private func showsQuire(_ property: Property) -> Bool {
    guard case .relationship(let relationship) = property else { return false }
    return relationship.isToMany || !plan[relationship.destination].hasClass
  }

  private func entityMarker(of entity: PlannedEntity) -> String {
    let name = entity.entity.name
    var options = name == entity.className ? [] : [CodeText.literal(name)]
    if entity.entity.isAbstract { options.append(".abstract") }
    if let former = entity.entity.renamingIdentifier {
      options.append(".originalName(\(CodeText.literal(former)))")
    }
    if let modifier = entity.entity.versionHashModifier {
      options.append(".hashModifier(\(CodeText.literal(modifier)))")
    }
    return options.isEmpty ? "@Entity" : "@Entity(\(options.joined(separator: ", ")))"
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

  private func accessible(_ entity: PlannedEntity) -> [Property] {
    entity.entity.declaredProperties.filter { whyInaccessible($0) == nil }
  }

  private func whyInaccessible(_ property: Property) -> String? {
    switch property {
    case .attribute(let attribute) where [.undefined, .objectID].contains(attribute.type):
      "has no type"
    default: nil
    }
  }
}
