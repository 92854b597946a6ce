/// A part of a model with a history: it may continue a part of the previous version, and it has notes of the application.
package protocol ModelPart: Sendable {
  var renamingIdentifier: String? { get set }
  var versionHashModifier: String? { get set }
  var userInfo: [String: String] { get set }
}

extension Entity: ModelPart {}
extension Attribute: ModelPart {}
extension Relationship: ModelPart {}
extension FetchedProperty: ModelPart {}

extension ModelPart {
  /// The facets of the history, in the order in which the text of a model has them.
  package static var history: [ModelFacet<Self>] {
    var notes = ModelFacet<Self>(notes: \.userInfo, .userInfo)
    notes.json = "userInfo"
    notes.clause = "note"
    return [
      ModelFacet(
        \.renamingIdentifier, .renamingIdentifier, json: "renamingIdentifier",
        source: "elementID", clause: "was", expected: "the former name", isName: true),
      ModelFacet(
        \.versionHashModifier, .versionHashModifier, json: "versionHashModifier",
        source: "versionHashModifier", archive: "NSVersionHashModifier", clause: "modifier",
        expected: "the hash modifier", isName: false, isHashed: true),
      notes,
    ]
  }
}

extension ModelFacet {
  package init(
    notes: any WritableKeyPath<Part, [String: String]> & Sendable,
    _ difference: ModelDifference.Facet
  ) {
    content = .notes(notes)
    self.difference = difference
  }
}
