/// A feature that some stores have and others need not have, with a sentence for each of the two.
///
/// The manifest of a plug-in declares the features with a capability; the conformance tests find out whether they work.
package enum StoreAbility: String, CaseIterable, Sendable {
  case incremental, durable, shared, history, querying, confirmation, vacuum, recognition

  /// The capability that declares the feature; `nil` for a feature that only a test finds.
  package var capability: StoreCapabilities? {
    switch self {
    case .incremental: .incremental
    case .durable: .durable
    case .shared: .shared
    case .history: .history
    case .querying: .querying
    case .confirmation: .confirmation
    case .vacuum, .recognition: nil
    }
  }

  /// Whether capabilities declare the feature; `nil` for a feature that only a test finds.
  package func isDeclared(in capabilities: StoreCapabilities) -> Bool? {
    capability.map { capabilities.contains($0) }
  }

  /// The features that capabilities declare, in the order of their bits (spec §9.2.5).
  package static let declared = allCases.filter { $0.capability != nil }

  /// The behaviour of a store that has the feature, or of one that lacks it.
  package func sentence(has: Bool) -> String {
    switch (self, has) {
    case (.incremental, true): "A save writes only its changes."
    case (.incremental, false): "A save writes all objects."
    case (.durable, true): "Saves outlive the program, a kill and a power cut."
    case (.durable, false): "The objects end with the program."
    case (.shared, true): "Several programs may save at the same time."
    case (.shared, false): "One program at a time may open it for writing."
    case (.history, true): "Earlier saves can be opened."
    case (.history, false): "Only the newest save can be opened."
    case (.querying, true): "The store finds and sorts objects itself."
    case (.querying, false): "Quire reads the rows, and finds and sorts them."
    case (.confirmation, true): "The store can be a part of a document."
    case (.confirmation, false): "The store can't be a part of a document."
    case (.vacuum, true): "Unused space is freed on request."
    case (.vacuum, false): "Nothing frees unused space on request."
    case (.recognition, true): "Programs recognise the store without its type."
    case (.recognition, false): "Programs open the store only by its type."
    }
  }
}

extension StoreCapabilities {
  /// The names of the capabilities in this set, as manifests spell them.
  package var names: [String] {
    StoreAbility.declared.filter { $0.isDeclared(in: self) == true }.map(\.rawValue)
  }
}
