/// What is wrong with a model: every fault found, not only the first.
public struct ModelError: Error, Sendable, Hashable {
  /// The faults, in the order of the model's source.
  public let faults: [ModelFault]

  /// An error with the given faults.
  public init(faults: [ModelFault]) { self.faults = faults }

  /// An error with one fault.
  public init(_ fault: ModelFault) { faults = [fault] }
}

extension ModelError: CustomStringConvertible {
  /// One line a fault.
  public var description: String { faults.map(\.description).joined(separator: "\n") }
}
