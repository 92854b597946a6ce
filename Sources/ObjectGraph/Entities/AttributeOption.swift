import Foundation
public import ObjectModel

/// A statement about an attribute that its type in Swift does not make.
public struct AttributeOption: Sendable {
  let apply: @Sendable (inout Attribute) -> Void

  private init(_ apply: @escaping @Sendable (inout Attribute) -> Void) { self.apply = apply }

  /// The values lie between two bounds, or are one of them.
  public static func range<V: BoundedAttributeValue>(_ range: ClosedRange<V>) -> AttributeOption {
    bounds(range.lowerBound.storedValue, range.upperBound.storedValue)
  }

  /// The values are not less than a bound.
  public static func range<V: BoundedAttributeValue>(
    _ range: PartialRangeFrom<V>
  ) -> AttributeOption { bounds(range.lowerBound.storedValue, .null) }

  /// The values are not greater than a bound.
  public static func range<V: BoundedAttributeValue>(
    _ range: PartialRangeThrough<V>
  ) -> AttributeOption { bounds(.null, range.upperBound.storedValue) }

  /// The texts have so many characters.
  public static func length(_ range: ClosedRange<Int>) -> AttributeOption {
    bounds(range.lowerBound.storedValue, range.upperBound.storedValue)
  }

  /// The texts have at least so many characters.
  public static func length(_ range: PartialRangeFrom<Int>) -> AttributeOption {
    bounds(range.lowerBound.storedValue, .null)
  }

  /// The texts have at most so many characters.
  public static func length(_ range: PartialRangeThrough<Int>) -> AttributeOption {
    bounds(.null, range.upperBound.storedValue)
  }

  private static func bounds(_ minimum: Value, _ maximum: Value) -> AttributeOption {
    AttributeOption { attribute in
      if !minimum.isNull { attribute.validation.minimum = minimum.bound(of: attribute.type) }
      if !maximum.isNull { attribute.validation.maximum = maximum.bound(of: attribute.type) }
    }
  }

  /// The whole texts match a regular expression.
  public static func matches(_ pattern: String) -> AttributeOption {
    AttributeOption { $0.validation.pattern = pattern }
  }

  /// The values meet a predicate, in which `SELF` is the value.
  ///
  /// - Parameter message: The sentence that a failure shows; `nil` for a sentence that names the predicate.
  public static func validated(_ predicate: String, message: String? = nil) -> AttributeOption {
    AttributeOption {
      $0.validation.predicates.append(ValidationPredicate(predicate, message: message))
    }
  }

  /// Large values lie apart from their rows.
  public static var externalStorage: AttributeOption {
    AttributeOption { $0.options.insert(.allowsExternalStorage) }
  }

  /// The value stays in the history after its object is deleted.
  public static var preservesValueOnDeletion: AttributeOption {
    AttributeOption { $0.options.insert(.preservesValueOnDeletion) }
  }

  /// The bytes are those that a value transformer makes of a value. A computed property may read and set the value with
  /// ``ManagedObject/transformed(_:as:)``.
  ///
  ///     @Attribute("colour", .transformable(by: "ColourTransformer")) var colourData: Data?
  ///
  /// - Parameters:
  ///   - transformer: The name of the transformer.
  ///   - className: The name of the type of the values.
  public static func transformable(
    by transformer: String? = nil, of className: String? = nil
  ) -> AttributeOption {
    AttributeOption {
      $0.type = .transformable
      $0.valueTransformerName = transformer
      $0.valueClassName = className
    }
  }

  /// The value of a new object, if it takes more than a literal to state it.
  ///
  ///     @Attribute(.default(Date(timeIntervalSinceReferenceDate: 0))) var start: Date
  public static func `default`<V: AttributeValue>(_ value: V) -> AttributeOption {
    let value = value.storedValue
    return AttributeOption { $0.defaultValue = value }
  }

  /// The attribute must have a value, although its type in Swift admits none.
  public static var required: AttributeOption { AttributeOption { $0.isOptional = false } }

  /// The attribute had another name in the version of the model before.
  public static func originalName(_ name: String) -> AttributeOption {
    AttributeOption { $0.renamingIdentifier = name }
  }

  /// A text that changes the version hash when nothing else does.
  public static func hashModifier(_ modifier: String) -> AttributeOption {
    AttributeOption { $0.versionHashModifier = modifier }
  }
}

/// A statement about an entity that its class does not make.
public struct EntityOption: Sendable {
  let apply: @Sendable (inout Entity) -> Void

  private init(_ apply: @escaping @Sendable (inout Entity) -> Void) { self.apply = apply }

  /// The entity gives its properties to its subentities, and has no objects itself.
  public static var abstract: EntityOption { EntityOption { $0.isAbstract = true } }

  /// The entity had another name in the version of the model before.
  public static func originalName(_ name: String) -> EntityOption {
    EntityOption { $0.renamingIdentifier = name }
  }

  /// A text that changes the version hash when nothing else does.
  public static func hashModifier(_ modifier: String) -> EntityOption {
    EntityOption { $0.versionHashModifier = modifier }
  }
}

extension Value {
  /// Returns a bound as the type that it bounds: a literal such as `0...5` is of whole numbers for every type.
  fileprivate func bound(of type: AttributeType) -> Value {
    guard case .integer(let number) = self else { return self }
    return switch type {
    case .double: .double(Double(number))
    case .float: .float(Float(number))
    case .decimal: .decimal(Decimal(number))
    default: self
    }
  }
}
