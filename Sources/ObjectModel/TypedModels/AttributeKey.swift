/// An attribute, known by its entity and the Swift type of its values.
///
/// What there is to say beyond its name and default is said one after the other:
///
///     let name = Attribute<String>("name").length(1...80)
///     let days = Attribute<Int16>("days", default: 1).bounded(1...365)
///     let code = Attribute<String?>("code").matching("[A-Z]{3}").renamed(from: "shortName")
///     let photo = Attribute<Data?>("photo").storedExternally()
///     let stopCount = Attribute<Int>("stopCount").derived(by: "count:(stops)")
public struct AttributeKey<Owner: EntityType, Value: AttributeValue>: ColumnKey {
  /// The attribute as the model holds it.
  public private(set) var attribute: Attribute

  /// The attribute of the given name; optional if its type is.
  ///
  /// - Parameter defaultValue: The value of a new object, and of one stored before the attribute
  ///   existed.
  public init(_ name: String, default defaultValue: Value? = nil) {
    attribute = Attribute(
      name, Value.attributeType, isOptional: Value.isOptional,
      defaultValue: defaultValue?.storedValue ?? .null)
  }

  /// The attribute's name in the model.
  public var name: String { attribute.name }

  /// Adds the attribute to its entity.
  public func add(to entity: inout Entity) {
    entity.declaredProperties.append(.attribute(attribute))
  }
}

extension AttributeKey {
  /// The attribute, computed from others by an expression such as `count:(stops)`.
  public func derived(by expression: String, where filter: String? = nil) -> Self {
    with { $0.derivation = .init(expression, filter: filter) }
  }

  /// The attribute, kept in memory only.
  public func transient() -> Self { with { $0.isTransient = true } }

  /// The attribute, large values of which are kept apart from their rows.
  public func storedExternally() -> Self {
    with { $0.options.insert(.allowsExternalStorage) }
  }

  /// The attribute, whose value stays in the history after its object is deleted.
  public func preservedOnDeletion() -> Self {
    with { $0.options.insert(.preservesValueOnDeletion) }
  }

  /// The attribute with the given name in the version before, for migration.
  public func renamed(from name: String) -> Self { with { $0.renamingIdentifier = name } }

  /// The attribute with a text that changes its version hash when nothing else does.
  public func hashModifier(_ modifier: String) -> Self {
    with { $0.versionHashModifier = modifier }
  }

  /// The attribute, its values meeting a predicate in text form, in which `SELF` is the value.
  ///
  /// - Parameter message: The sentence that a failure shows; `nil` for one that names the predicate.
  public func validated(_ predicate: String, message: String? = nil) -> Self {
    with {
      $0.validation.predicates.append(ValidationPredicate(predicate, message: message))
    }
  }

  /// The attribute with notes of the application's own.
  public func userInfo(_ userInfo: [String: String]) -> Self { with { $0.userInfo = userInfo } }

  private func with(_ change: (inout Attribute) -> Void) -> Self {
    var changed = self
    change(&changed.attribute)
    return changed
  }
}

extension AttributeKey where Value.Bare: BoundedAttributeValue {
  /// The attribute, its values within the given bounds.
  public func bounded(_ range: ClosedRange<Value.Bare>) -> Self {
    bounded(range.lowerBound...).bounded(...range.upperBound)
  }

  /// The attribute, its values not below the given one.
  public func bounded(_ range: PartialRangeFrom<Value.Bare>) -> Self {
    with { $0.validation.minimum = range.lowerBound.storedValue }
  }

  /// The attribute, its values not above the given one.
  public func bounded(_ range: PartialRangeThrough<Value.Bare>) -> Self {
    with { $0.validation.maximum = range.upperBound.storedValue }
  }
}

extension AttributeKey where Value.Bare == String {
  /// The attribute, its texts of so many characters.
  public func length(_ range: ClosedRange<Int>) -> Self {
    length(range.lowerBound...).length(...range.upperBound)
  }

  /// The attribute, its texts of at least so many characters.
  public func length(_ range: PartialRangeFrom<Int>) -> Self {
    with { $0.validation.minimum = range.lowerBound.storedValue }
  }

  /// The attribute, its texts of at most so many characters.
  public func length(_ range: PartialRangeThrough<Int>) -> Self {
    with { $0.validation.maximum = range.upperBound.storedValue }
  }

  /// The attribute, its whole texts matching a regular expression.
  public func matching(_ pattern: String) -> Self { with { $0.validation.pattern = pattern } }
}
