/// One thing that is wrong with a model, or deserves a second look, and where.
public struct ModelFault: Sendable, Hashable {
  /// What kind of fault it is.
  public let code: Code
  /// Whether the model can be used all the same.
  public let severity: Severity
  /// The entity (or composite type, configuration, template) that has the fault.
  public let entity: String?
  /// The property (or index) that has the fault.
  public let property: String?
  /// What was found and what would be right, in a sentence or two.
  public let message: String

  /// How grave a fault is.
  public enum Severity: String, Sendable, Hashable {
    /// The model cannot be used.
    case error
    /// The model can be used, and its author should know.
    case warning
  }

  /// A kind of fault, to branch on. New kinds may be added.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The kind's stable name.
    public let rawValue: String
    /// The kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// A fault of the given kind and place.
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
  /// The place and the sentence: `Trip.stops: The inverse …`.
  public var description: String {
    let place = [entity, property].compactMap { $0 }.joined(separator: ".")
    return place.isEmpty ? message : "\(place): \(message)"
  }
}
