/// The parts of a model's source that have no meaning for the model: the editor's own attributes and the positions
/// of its diagram.
public struct SourceDetails: Sendable, Hashable {
  /// XML attributes by name, for which the described part has no property.
  public var attributes: [String: String]
  /// The boxes of the editor's diagram, each with its XML attributes. Only a model has boxes.
  public var diagram: [[String: String]]

  /// Creates details with the given attributes and diagram.
  public init(attributes: [String: String] = [:], diagram: [[String: String]] = []) {
    self.attributes = attributes
    self.diagram = diagram
  }
}
