/// What is wrong with a model: every fault found, not only the first.
public struct ModelError: Error, Sendable, Hashable {
  /// The faults, in the order of the model's source.
  public let faults: [ModelFault]

  /// An error with the given faults.
  public init(faults: [ModelFault]) { self.faults = faults }
}

extension ModelError: CustomStringConvertible {
  /// One line a fault.
  public var description: String { faults.map(\.description).joined(separator: "\n") }
}

/// One thing that is wrong with a model, and where.
public struct ModelFault: Sendable, Hashable {
  /// What kind of fault it is.
  public let code: Code
  /// The entity (or composite type, configuration, template) that has the fault.
  public let entity: String?
  /// The property that has the fault.
  public let property: String?
  /// What is wrong, in a sentence.
  public let message: String

  /// A kind of fault, to branch on. New kinds may be added.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The kind's stable name.
    public let rawValue: String
    /// The kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// A fault of the given kind and place.
  public init(_ code: Code, entity: String? = nil, property: String? = nil, message: String) {
    self.code = code
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
