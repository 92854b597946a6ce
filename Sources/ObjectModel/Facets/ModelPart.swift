/// A part of a model with a history: it may continue a part of the previous version, and it has notes of the application.
package protocol ModelPart: Sendable {
  var renamingIdentifier: String? { get set }
  var versionHashModifier: String? { get set }
  var userInfo: [String: String] { get set }

  /// The facets of the history, in the order in which the text of a model has them.
  static var history: [ModelFacet<Self>] { get }
}

extension ModelPart {
  /// Returns the rows for ``history``, which each type keeps.
  fileprivate static func makeHistory() -> [ModelFacet<Self>] {
    [
      ModelFacet(
        .text(\.renamingIdentifier, expected: "the former name", isName: true),
        .renamingIdentifier, json: "renamingIdentifier", source: "elementID", clause: "was"),
      ModelFacet(
        .text(\.versionHashModifier, expected: "the hash modifier", isName: false),
        .versionHashModifier, json: "versionHashModifier", source: "versionHashModifier",
        archive: .field("NSVersionHashModifier"), clause: "modifier", isHashed: true),
      ModelFacet(.notes(\.userInfo), .userInfo, json: "userInfo", clause: "note"),
    ]
  }
}

extension Entity: ModelPart {
  package static let history = makeHistory()
}

extension Attribute: ModelPart {
  package static let history = makeHistory()
}

extension Relationship: ModelPart {
  package static let history = makeHistory()
}

extension FetchedProperty: ModelPart {
  package static let history = makeHistory()
}
