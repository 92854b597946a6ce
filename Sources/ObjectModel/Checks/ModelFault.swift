/// One error or warning about a model, with its place.
public struct ModelFault: Sendable, Hashable {
  /// The kind of the fault.
  public let code: Code
  /// The severity of the fault: whether the model can be used.
  public let severity: Severity
  /// The entity with the fault, or the composite type, configuration or template.
  public let entity: String?
  /// The property or index with the fault.
  public let property: String?
  /// One or two sentences that say what was found and what would be right.
  public let message: String

  /// The severity of a fault.
  public enum Severity: String, Sendable, Hashable {
    /// The model cannot be used.
    case error
    /// The model can be used, but its author should know the fault.
    case warning
  }

  /// A kind of fault, to branch on. New kinds may be added.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    /// Creates the kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// Creates a fault with the given kind and place.
  public init(
    _ code: Code,
    severity: Severity = .error,
    entity: String? = nil,
    property: String? = nil,
    message: String
  ) {
    self.code = code
    self.severity = severity
    self.entity = entity
    self.property = property
    self.message = message
  }
}

extension ModelFault: CustomStringConvertible {
  /// The place and the message: `Trip.stops: The inverse …`.
  public var description: String {
    let place = [entity, property].compactMap { $0 }.joined(separator: ".")
    return place.isEmpty ? message : "\(place): \(message)"
  }
}
