// The facets of each part of a model that do not need a special form. The order is that of the text of a model.

extension Entity {
  package static let basicFacets: [ModelFacet<Entity>] = [
    ModelFacet(
      .flag(\.isAbstract), .isAbstract, json: "isAbstract", source: "isAbstract",
      archive: .field("NSIsAbstract"), clause: "abstract", isHashed: true)
  ]

  package static let facets = basicFacets + history
}

extension ModelFacet {
  /// Returns the row for the flag of optional properties.
  fileprivate static func isOptional(
    _ path: any WritableKeyPath<Part, Bool> & Sendable
  ) -> ModelFacet {
    ModelFacet(
      .flag(path), .isOptional, json: "isOptional", source: "optional",
      archive: .bit(2, field: "NSIsOptional"), isHashed: true)
  }

  /// Returns the row for the flag of transient properties.
  fileprivate static func isTransient(
    _ path: any WritableKeyPath<Part, Bool> & Sendable
  ) -> ModelFacet {
    ModelFacet(
      .flag(path), .isTransient, json: "isTransient", source: "transient",
      archive: .bit(8, field: "NSIsTransient"), clause: "transient", isHashed: true)
  }
}

extension Attribute {
  /// The flags that all properties have.
  package static let basicFacets: [ModelFacet<Attribute>] = [
    .isOptional(\.isOptional), .isTransient(\.isTransient),
  ]

  /// The options. A hash covers them by a byte for each option that is set.
  package static let optionFacets: [ModelFacet<Attribute>] = [
    ModelFacet(
      .flag(\.options[has: .allowsExternalStorage]), .allowsExternalStorage,
      source: "allowsExternalBinaryDataStorage", archive: .mark(4), clause: "external",
      option: ("allowsExternalStorage", ""), isHashed: true),
    ModelFacet(
      .flag(\.options[has: .preservesValueOnDeletion]), .preservesValueOnDeletion,
      source: "preserveAfterDeletion", archive: .mark(16), clause: "preserved",
      option: ("preservesValueOnDeletion", ""), isHashed: true),
    ModelFacet(
      .flag(\.options[has: .isIndexed]), .otherOptions, source: "indexed",
      archive: .field("NSIsIndexed"), clause: "indexed", option: ("isIndexed", "indexed")),
    ModelFacet(
      .flag(\.options[has: .isIndexedBySpotlight]), .otherOptions,
      source: "spotlightIndexingEnabled",
      archive: .bit(0x100, field: "NSIndexedBySpotlight"), clause: "spotlight",
      option: ("isIndexedBySpotlight", "indexed by Spotlight")),
    ModelFacet(
      .flag(\.options[has: .isStoredInTruthFile]), .otherOptions, source: "storedInTruthFile",
      archive: .bit(0x200, field: nil), clause: "truthfile",
      option: ("isStoredInTruthFile", "stored in truth file")),
    ModelFacet(
      .flag(\.options[has: .allowsCloudEncryption]), .otherOptions, source: "allowsCloudEncryption",
      archive: .bit(0x800, field: nil), clause: "cloudencrypted",
      option: ("allowsCloudEncryption", "encrypted in the cloud")),
  ]

  /// The names of types and transformers. Archives have the class in its own form.
  package static let nameFacets: [ModelFacet<Attribute>] = [
    ModelFacet(
      .text(\.valueTransformerName, expected: "the name of a transformer", isName: true),
      .valueTransformer, json: "valueTransformer", source: "valueTransformerName",
      archive: .field("NSValueTransformerName"), clause: "transformer"),
    ModelFacet(
      .text(\.valueClassName, expected: "the name of a class", isName: true), .valueClass,
      json: "valueClass", source: "customClassName", clause: "class"),
  ]

  /// The precision. Apple's formats have no place for it, so it is an entry of the user info there.
  package static let precisionFacets: [ModelFacet<Attribute>] = [
    ModelFacet(.flag(\.validation.isDay), .isDay, json: "isDay", note: "quire.day"),
    ModelFacet(
      .number(\.validation.places, expected: "the number of decimal places"), .places,
      json: "places", note: "quire.places", clause: "places"),
  ]

  package static let facets =
    precisionFacets + basicFacets + optionFacets + nameFacets + history
}

extension Attribute {
  /// The attribute as Apple's formats express it: facets without their own place are entries of the user info.
  package var withNotes: Attribute {
    var attribute = self
    for facet in Attribute.facets {
      guard let note = facet.note, let text = facet.noteText(of: self) else { continue }
      attribute.userInfo[note] = text
    }
    return attribute
  }

  /// Makes facets of the entries that ``withNotes`` adds. An entry that is not such a facet of the attribute's type stays.
  package mutating func takeNotes() {
    for facet in Attribute.facets {
      guard let note = facet.note, let text = userInfo[note] else { continue }
      var noted = self
      facet.set(noteText: text, in: &noted)
      guard facet.noteText(of: noted) == text, noted.validation.precision?.type == type else {
        continue
      }
      noted.userInfo[note] = nil
      self = noted
    }
  }
}

extension ModelFacet {
  fileprivate func noteText(of part: Part) -> String? {
    switch content {
    case .flag(let path): part[keyPath: path] ? "YES" : nil
    case .text(let path, _, _): part[keyPath: path]
    case .number(let path, _): part[keyPath: path].map { "\($0)" }
    case .notes: nil
    }
  }

  fileprivate func set(noteText text: String, in part: inout Part) {
    switch content {
    case .flag(let path): part[keyPath: path] = text == "YES"
    case .text(let path, _, _): part[keyPath: path] = text
    case .number(let path, _): part[keyPath: path] = Int(text)
    case .notes: break
    }
  }
}

extension Attribute.Options {
  package subscript(has option: Attribute.Options) -> Bool {
    get { contains(option) }
    set { if newValue { insert(option) } else { remove(option) } }
  }
}

extension Relationship {
  package static let orderFacet = ModelFacet<Relationship>(
    .flag(\.isOrdered), .isOrdered, json: "isOrdered", source: "ordered",
    archive: .bit(0x400, field: "NSIsOrdered"), clause: "ordered", isHashed: true)
  package static let basicFacets: [ModelFacet<Relationship>] = [
    .isOptional(\.isOptional), .isTransient(\.isTransient),
  ]
  package static let facets = [orderFacet] + basicFacets + history
}

extension FetchedProperty {
  package static let basicFacets: [ModelFacet<FetchedProperty>] = [.isOptional(\.isOptional)]
  package static let facets = basicFacets + history
}
