public import ObjectModel
public import ObjectQuery

/// A structure that stands for a composite type of the model. The macro `Composite()` writes the conformance.
public protocol CompositeValue: PropertyMapped, Sendable {
  /// The name of the composite type in the model: the name of the Swift type, unless the structure states another.
  static var compositeName: String { get }

  static var compositeParts: [CompositePart] { get }

  init(composite parts: CompositeParts)

  /// Writes the parts of an object's attribute.
  func write(to parts: CompositeParts)
}

extension CompositeValue {
  /// The type of a property of a snapshot that has such a value.
  public typealias SnapshotMember = Self
  /// The name of the composite type in the model: the name of the Swift type.
  public static var compositeName: String { nameOfType(Self.self) }

  /// The names of the parts, by their key paths.
  public static var propertyNames: [AnyKeyPath: String] {
    Dictionary(compositeParts.map { ($0.path, $0.attribute.name) }) { first, _ in first }
  }
}

/// A part of a composite attribute.
public struct CompositePart {
  let path: AnyKeyPath
  let attribute: Attribute
  /// The Swift type of the part, if the part is composite itself.
  let type: (any CompositeValue.Type)?
  /// The reasons why options do not fit the part.
  let problems: [String]

  /// Returns a part with a single value.
  public static func part<Root: CompositeValue, Value: AttributeValue>(
    _ name: String, _ path: KeyPath<Root, Value>, default value: Value? = nil,
    _ options: AttributeOption...
  ) -> CompositePart {
    let attribute = Attribute.plain(name, default: value, options)
    return CompositePart(
      path: path, attribute: attribute, type: nil,
      problems: options.compactMap { $0.problem(with: attribute) })
  }

  /// Returns a composite part, which has parts of its own.
  public static func part<Root: CompositeValue, Value: CompositeValue>(
    _ name: String, _ path: KeyPath<Root, Value>, _ options: AttributeOption...
  ) -> CompositePart {
    CompositePart(
      path: path, attribute: .composite(name, Value.self, options), type: Value.self, problems: [])
  }
}

/// The parts of a composite attribute, by name: of an object, or of a snapshot.
public struct CompositeParts {
  private enum Place {
    /// An object, with the name of the attribute, and the hash of all names joined by dots.
    case object(ManagedObject, StaticString, UInt64)
    case values(PartValues)
  }

  private let place: Place
  /// The names of the composite parts on the way from the attribute to these parts.
  private let parts: [StaticString]

  init(_ object: ManagedObject, _ name: StaticString, _ hash: UInt64) {
    (place, parts) = (.object(object, name, hash), [])
  }

  init(_ values: PartValues) { (place, parts) = (.values(values), []) }

  private init(_ whole: CompositeParts, part: StaticString) {
    place =
      switch whole.place {
      case .object(let object, let name, let hash):
        .object(object, name, CompositeParts.hash(of: part, after: hash))
      case .values: whole.place
      }
    parts = whole.parts + [part]
  }

  private static func hash(of part: StaticString, after hash: UInt64) -> UInt64 {
    PropertyHash.of(part, after: PropertyHash.step(hash, UInt8(ascii: ".")))
  }

  private func path(of part: StaticString, after name: StaticString? = nil) -> String {
    ((name.map { [$0] } ?? []) + parts + [part]).map(\.description).joined(separator: ".")
  }

  /// The value of a part.
  public subscript<V: AttributeValue>(part: StaticString) -> V {
    get {
      switch place {
      case .object(let object, let name, let hash):
        return object.converted(CompositeParts.hash(of: part, after: hash)) {
          path(of: part, after: name)
        }
      case .values(let values):
        let value = values.values[path(of: part)] ?? .null
        guard let converted = V(storedValue: value) else {
          misuse(
            "The part \"\(path(of: part))\" has the value \(value.text), which is not a valid \(V.self)."
          )
        }
        return converted
      }
    }
    nonmutating set {
      let value = newValue.storedValue
      switch place {
      case .object(let object, let name, let hash):
        let hash = CompositeParts.hash(of: part, after: hash)
        if object.storedValue(hash, { path(of: part, after: name) }) == value { return }
        object.setStored(value, hash, path(of: part, after: name))
      case .values(let values): values.values[path(of: part)] = value
      }
    }
  }

  /// A composite part, which has parts of its own.
  public subscript<C: CompositeValue>(part: StaticString) -> C {
    get { C(composite: CompositeParts(self, part: part)) }
    nonmutating set { newValue.write(to: CompositeParts(self, part: part)) }
  }
}

extension Attribute {
  /// Returns an attribute with values of a Swift type.
  static func plain<Value: AttributeValue>(
    _ name: String, default value: Value?, _ options: [AttributeOption]
  ) -> Attribute {
    var attribute = Attribute(
      name, Value.attributeType, isOptional: Value.isOptional,
      defaultValue: value?.storedValue ?? .null)
    for option in options { option.apply(&attribute) }
    return attribute
  }

  /// Returns a composite attribute. Like composite attributes from a model editor, it is optional unless an option says
  /// otherwise.
  static func composite(
    _ name: String, _ type: any CompositeValue.Type, _ options: [AttributeOption]
  ) -> Attribute {
    var attribute = Attribute(name, .composite)
    attribute.compositeName = type.compositeName
    for option in options { option.apply(&attribute) }
    return attribute
  }
}
