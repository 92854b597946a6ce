/// A facet of a part of a model that is a flag, a text or a set of notes: its name in each notation of models.
///
/// The readers and the writers of all notations, the comparison of models and the version hash go through the rows of a part
/// (``Attribute/facets`` and its neighbours). A new facet is a row, unless one of these writes it in its own form.
package struct ModelFacet<Part>: Sendable {
  package let content: Content
  package let difference: ModelDifference.Facet
  /// The member in the JSON form; `nil` for a flag that is a word in the list of options, and for a facet with its own form.
  package let json: String?
  /// The XML attribute in Apple's model sources.
  package let source: String?
  /// The place in archives of models.
  package let archive: ArchivePlace?
  /// The entry of the user info in Apple's sources and in archives, for a facet of Quire's own. Core Data ignores it.
  package let note: String?
  /// The clause in the text of a model.
  package let clause: String?
  /// The option in the JSON form, and in the words of a comparison if all options together are one facet there.
  package let option: (json: String, words: String)?
  /// Whether the version hash covers the facet.
  package let isHashed: Bool

  /// The access to the facet's value.
  package enum Content: Sendable {
    case flag(any WritableKeyPath<Part, Bool> & Sendable)
    /// A text, with its description in messages. A name needs no quotation marks in the text of a model.
    case text(any WritableKeyPath<Part, String?> & Sendable, expected: String, isName: Bool)
    case number(any WritableKeyPath<Part, Int?> & Sendable, expected: String)
    case notes(any WritableKeyPath<Part, [String: String]> & Sendable)
  }

  /// The place of a facet in an archive.
  package enum ArchivePlace: Sendable {
    /// A bit of the set that all properties have, which a field may repeat.
    case bit(Int64, field: String?)
    /// A bit of the attribute's flags.
    case mark(Int64)
    case field(String)
  }

  package init(
    _ content: Content, _ difference: ModelDifference.Facet, json: String? = nil,
    source: String? = nil, archive: ArchivePlace? = nil, note: String? = nil,
    clause: String? = nil, option: (json: String, words: String)? = nil, isHashed: Bool = false
  ) {
    (self.content, self.difference, self.json, self.source) = (content, difference, json, source)
    (self.archive, self.note, self.clause, self.option) = (archive, note, clause, option)
    self.isHashed = isHashed
  }

  /// Returns whether a part has the flag; `nil` for a facet that is not a flag.
  package func flag(of part: Part) -> Bool? {
    if case .flag(let path) = content { part[keyPath: path] } else { nil }
  }

  package func set(_ flag: Bool, in part: inout Part) {
    if case .flag(let path) = content { part[keyPath: path] = flag }
  }

  /// Returns the text that a part has; `nil` if the text is absent, or if the facet is not a text.
  package func text(of part: Part) -> String? {
    if case .text(let path, _, _) = content { part[keyPath: path] } else { nil }
  }

  package func set(_ text: String?, in part: inout Part) {
    if case .text(let path, _, _) = content { part[keyPath: path] = text }
  }
}
