import Foundation
public import ObjectModel

/// An option of an attribute that its Swift type can't express.
public struct AttributeOption: Sendable {
  let apply: @Sendable (inout Attribute) -> Void
  /// The measure of the option's bounds; `nil` for an option without bounds.
  private let measure: Measure?

  /// The property of a value that bounds limit.
  private enum Measure {
    case value
    case length
    case precision
  }

  private init(
    _ measure: Measure? = nil, _ apply: @escaping @Sendable (inout Attribute) -> Void
  ) {
    self.apply = apply
    self.measure = measure
  }

  /// Returns the reason why the option does not fit an attribute, as the end of a sentence; `nil` if it fits.
  func problem(with attribute: Attribute) -> String? {
    switch measure {
    case .value where attribute.type == .string:
      "is a text, and .range limits numbers and dates. Write .length for its number of characters"
    case .length where attribute.type != .string:
      "is of the type \(attribute.type.sourceName), and .length limits texts. Write .range for its values"
    case .precision:
      attribute.validation.precision.flatMap { precision in
        precision.type == attribute.type
          ? nil
          : "is of the type \(attribute.type.sourceName), which can't be \(precision.words)"
      }
    default: nil
    }
  }

  /// Requires dates without a time: midnights in UTC. The tool and exports write them as `2026-04-20`.
  ///
  ///     @Attribute(.day) var born: Date?
  public static var day: AttributeOption {
    AttributeOption(.precision) { $0.validation.precision = .day }
  }

  /// Requires decimal numbers with at most the given number of decimal places. The tool and exports write all of them:
  /// `30676.20`.
  ///
  ///     @Attribute(.places(2)) var price: Decimal
  public static func places(_ places: Int) -> AttributeOption {
    AttributeOption(.precision) { $0.validation.precision = .places(places) }
  }

  /// Requires values between two bounds. The bounds themselves are valid.
  public static func range<V: BoundedAttributeValue>(_ range: ClosedRange<V>) -> AttributeOption {
    bounds(.value, range.lowerBound.storedValue, range.upperBound.storedValue)
  }

  /// Requires values that are not less than a bound.
  public static func range<V: BoundedAttributeValue>(
    _ range: PartialRangeFrom<V>
  ) -> AttributeOption { bounds(.value, range.lowerBound.storedValue, .null) }

  /// Requires values that are not greater than a bound.
  public static func range<V: BoundedAttributeValue>(
    _ range: PartialRangeThrough<V>
  ) -> AttributeOption { bounds(.value, .null, range.upperBound.storedValue) }

  /// Requires texts with a number of characters in a range.
  public static func length(_ range: ClosedRange<Int>) -> AttributeOption {
    bounds(.length, range.lowerBound.storedValue, range.upperBound.storedValue)
  }

  /// Requires texts with a least number of characters.
  public static func length(_ range: PartialRangeFrom<Int>) -> AttributeOption {
    bounds(.length, range.lowerBound.storedValue, .null)
  }

  /// Requires texts with at most a number of characters.
  public static func length(_ range: PartialRangeThrough<Int>) -> AttributeOption {
    bounds(.length, .null, range.upperBound.storedValue)
  }

  private static func bounds(
    _ measure: Measure, _ minimum: Value, _ maximum: Value
  ) -> AttributeOption {
    AttributeOption(measure) { attribute in
      if !minimum.isNull { attribute.validation.minimum = minimum.bound(of: attribute.type) }
      if !maximum.isNull { attribute.validation.maximum = maximum.bound(of: attribute.type) }
    }
  }

  /// Requires texts that match a regular expression as a whole.
  public static func matches(_ pattern: String) -> AttributeOption {
    AttributeOption { $0.validation.pattern = pattern }
  }

  /// Requires values that meet a predicate, in which `SELF` is the value.
  ///
  /// - Parameter message: The message of a failure; `nil` for a message that names the predicate.
  public static func validated(_ predicate: String, message: String? = nil) -> AttributeOption {
    AttributeOption {
      $0.validation.predicates.append(ValidationPredicate(predicate, message: message))
    }
  }

  /// Stores large values apart from their rows.
  public static var externalStorage: AttributeOption {
    AttributeOption { $0.options.insert(.allowsExternalStorage) }
  }

  /// Keeps the value in the history after its object is deleted.
  public static var preservesValueOnDeletion: AttributeOption {
    AttributeOption { $0.options.insert(.preservesValueOnDeletion) }
  }

  /// Stores the bytes that a value transformer makes from a value. A computed property can read and set the value with
  /// `transformed(_:as:)`.
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

  /// Sets the default value of new objects. Use it for a default that no literal can express.
  ///
  ///     @Attribute(.default(Date(timeIntervalSinceReferenceDate: 0))) var start: Date
  public static func `default`<V: AttributeValue>(_ value: V) -> AttributeOption {
    let value = value.storedValue
    return AttributeOption { $0.defaultValue = value }
  }

  /// Requires a value, even if the Swift type is optional.
  public static var required: AttributeOption { AttributeOption { $0.isOptional = false } }

  /// Unavailable: `@Unique` is the marker of a unique attribute.
  @available(*, unavailable, message: "Write @Unique before the property.")
  public static var unique: AttributeOption { fatalError() }

  /// Unavailable: `@Transient` is the marker of an attribute in memory only.
  @available(*, unavailable, message: "Write @Transient before the property.")
  public static var ephemeral: AttributeOption { fatalError() }

  /// States the attribute's name in the previous version of the model.
  public static func originalName(_ name: String) -> AttributeOption {
    AttributeOption { $0.renamingIdentifier = name }
  }

  /// Adds a text to the version hash, to change the hash when nothing else does.
  public static func hashModifier(_ modifier: String) -> AttributeOption {
    AttributeOption { $0.versionHashModifier = modifier }
  }
}

/// An option of an entity that its class can't express.
public struct EntityOption: Sendable {
  let apply: @Sendable (inout Entity) -> Void

  private init(_ apply: @escaping @Sendable (inout Entity) -> Void) { self.apply = apply }

  /// Makes the entity abstract: it gives its properties to its subentities and has no objects itself.
  public static var abstract: EntityOption { EntityOption { $0.isAbstract = true } }

  /// Leaves out the structure `Snapshot`, for a class that has another type of this name.
  public static var withoutSnapshot: EntityOption { EntityOption { _ in } }

  /// States the entity's name in the previous version of the model.
  public static func originalName(_ name: String) -> EntityOption {
    EntityOption { $0.renamingIdentifier = name }
  }

  /// Adds a text to the version hash, to change the hash when nothing else does.
  public static func hashModifier(_ modifier: String) -> EntityOption {
    EntityOption { $0.versionHashModifier = modifier }
  }
}

extension Value {
  /// Returns a bound as a value of the attribute's type. A literal range such as `0...5` has integers for every type.
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
