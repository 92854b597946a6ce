/// A version whose model differs from the model of the version before it (spec §16.3.4).
struct MigrationEdge {
  /// The identity of the version before.
  let from: String
  let target: String
  let model: SharedModel

  /// The node of the graph for the inferred migration of the version before, at which the changes of the edge begin. Edges of several
  /// replicas from one version to one model share it, so that a way leads from one of them to the next.
  var node: String { "\(from)+\(model.digest)" }
}
