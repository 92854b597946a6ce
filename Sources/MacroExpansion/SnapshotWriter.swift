/// Writes the structure `Snapshot` that `@Entity` adds to a class.
struct SnapshotWriter {
  private let entity: EntitySyntax
  private let access: String

  init(_ entity: EntitySyntax) {
    self.entity = entity
    access = entity.declaration.memberAccess
  }

  /// A property of the structure.
  private struct Member {
    let property: PropertySyntax
    let type: String
    var name: String { property.variable.name.text }
    var isList: Bool { property.isList }

    init?(_ property: PropertySyntax) {
      guard [.plain, .relationship, .derived].contains(property.role),
        let shape = property.variable.type?.shape,
        // An array of objects is not an attribute, and has its own error.
        shape.isKnownList || property.variable.hasAttributeMarker || !shape.isArray,
        let type = property.variable.type?.snapshotType
      else { return nil }
      (self.property, self.type) = (property, type)
    }

    /// The value of the property in a snapshot that is made without it; `nil` if it must be given.
    var fallback: String? {
      if property.role == .derived { return ".some(SnapshotSource.noValue())" }
      // `Self` means another type in the structure.
      let given = property.variable.initialValue?.text
      return given.flatMap { $0.contains("Self") ? nil : $0 }
    }

    /// The words that name the property in a call: in Swift, in the model, and by hash.
    var names: String {
      let variable = property.variable
      let stored = variable.storedName
      return "\"\(variable.plainName)\", \"\(stored)\", \(AccessorWriter.hash(of: stored))"
    }
  }

  /// Whether the class gets a structure. A class does without one if it or one of its properties has the name of the structure.
  private var isWanted: Bool {
    let types = entity.properties.compactMap { $0.variable.type?.shape.bareName }
    return entity.declaration.plainName != "Snapshot" && !types.contains("Snapshot")
      && entity.arguments?.text.contains(".withoutSnapshot") != true
  }

  /// Returns the source of the structure; `nil` if the class opts out or already uses the name.
  func members() -> String? {
    guard isWanted else { return nil }
    let members = entity.properties.compactMap(Member.init)
    let inherited = entity.superentity.map { "\($0.text).SnapshotElement" }
    let name = entity.declaration.name.text
    var lines = ["\(access)typealias ManagedClass = \(name)"]
    if let inherited {
      lines += [
        "\(access)var inherited: \(inherited)",
        "\(access)var objectID: SnapshotIdentifier? { get { inherited.objectID } set { inherited.objectID = newValue } }",
        """
        \(access)subscript<Value__>(dynamicMember path: Swift.WritableKeyPath<\(inherited), Value__>) -> Value__ {
            get { inherited[keyPath: path] }
            set { inherited[keyPath: path] = newValue }
          }
        """,
      ]
    } else {
      lines.append("\(access)var objectID: SnapshotIdentifier?")
    }
    lines += members.map { "\(access)var \($0.name): \($0.type)" }
    lines += [
      memberwise(members, inherited), reading(members, inherited), writing(members, inherited),
    ]
    let structure = """
      \(inherited == nil ? "" : "@dynamicMemberLookup ")nonisolated \(access)struct Snapshot: EntitySnapshot {
      \(lines.map { "  " + $0 }.joined(separator: "\n"))
      }
      \(access)typealias SnapshotElement = Snapshot
      \(access)typealias SnapshotMember = RelatedSnapshot<Snapshot>
      """
    guard inherited == nil else { return structure }
    return structure + """

      \(access)final func snapshot(including paths: Swift.PartialKeyPath<\(name)>...) -> Snapshot {
        Snapshot(self, including: SnapshotPaths(paths))
      }
      """
  }

  private func memberwise(_ members: [Member], _ inherited: String?) -> String {
    let given = members.filter { $0.property.role != .derived }
    let parameters =
      [inherited.map { "inherited: \($0)" } ?? "objectID: SnapshotIdentifier? = nil"]
      + given.map { member in
        let none = member.type.hasSuffix("?") ? "nil" : nil
        return "\(member.name): \(member.type)"
          + ((member.isList ? none : member.fallback ?? none).map { " = \($0)" } ?? "")
      }
    let lines =
      [inherited == nil ? "self.objectID = objectID" : "self.inherited = inherited"]
      + members.map {
        "self.\($0.name) = \($0.property.role == .derived ? "SnapshotSource.noValue()" : $0.name)"
      }
    return body("\(access)init(\(parameters.joined(separator: ", ")))", lines)
  }

  private func reading(_ members: [Member], _ inherited: String?) -> String {
    let lines =
      [
        inherited.map { "self.inherited = try \($0)(reading: source__)" }
          ?? "self.objectID = source__.objectID"
      ]
      + members.map { member in
        let fallback = member.isList ? nil : member.fallback
        return "self.\(member.name) = try source__.read(\(member.names)"
          + (fallback.map { ", default: \($0)" } ?? "") + ")"
      }
    return body("\(access)init(reading source__: SnapshotSource) throws", lines)
  }

  private func writing(_ members: [Member], _ inherited: String?) -> String {
    let lines =
      (inherited == nil ? [] : ["try self.inherited.write(to: &target__)"])
      + members.map { member in
        "try target__.write(self.\(member.name), \(member.names)"
          + (member.property.role == .derived ? ", isDerived: true)" : ")")
      }
    return body("\(access)func write(to target__: inout SnapshotTarget) throws", lines)
  }

  private func body(_ head: String, _ lines: [String]) -> String {
    "\(head) {\n" + lines.map { "    \($0)\n" }.joined() + "  }"
  }
}

extension PropertySyntax {
  fileprivate var isList: Bool {
    if case .related = variable.type?.shape { true } else { false }
  }
}

extension TypeSyntax {
  /// The type of the property in a snapshot. An attribute has its own type there, and a relationship that of the snapshots of
  /// its objects: the compiler decides, by the name `SnapshotMember` that each of both types has.
  fileprivate var snapshotType: String? {
    switch shape {
    case .related(let element): return element.name.map { "[\($0).SnapshotElement]?" }
    case .optional, .implicitlyUnwrapped:
      guard source.text.hasSuffix("?") || source.text.hasSuffix("!") else { return nil }
      return "\(source.text.dropLast()).SnapshotMember?"
    case .named: return "\(source.text).SnapshotMember"
    case .array, .dictionary: return source.text
    case .set, .tuple, .function, .existential: return nil
    }
  }
}

extension TypeSyntax.Shape {
  fileprivate var isArray: Bool { if case .array = unwrapped { true } else { false } }

  fileprivate var name: String? {
    if case .named(let name) = self { name } else { nil }
  }
}
