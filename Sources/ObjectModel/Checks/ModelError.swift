/// An error with all faults of a model, not only the first.
public struct ModelError: Error, Sendable, Hashable {
  /// The faults, in the order of the model's source.
  public let faults: [ModelFault]

  /// Creates an error with the given faults.
  public init(faults: [ModelFault]) { self.faults = faults }

  /// Creates an error with one fault.
  public init(_ fault: ModelFault) { faults = [fault] }
}

extension ModelError: CustomStringConvertible {
  /// The faults, one on each line.
  public var description: String { faults.map(\.description).joined(separator: "\n") }
}
