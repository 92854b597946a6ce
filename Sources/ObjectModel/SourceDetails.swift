/// What a model's source says that means nothing to the model itself: the editor's own attributes
/// and the positions of its diagram.
public struct SourceDetails: Sendable, Hashable {
  /// XML attributes by name, those that no property of the described part stands for.
  public var attributes: [String: String]
  /// The boxes of the editor's diagram, each with its XML attributes. Only a model has them.
  public var diagram: [[String: String]]

  /// Details with the given attributes and diagram.
  public init(attributes: [String: String] = [:], diagram: [[String: String]] = []) {
    self.attributes = attributes
    self.diagram = diagram
  }
}
