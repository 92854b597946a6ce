import CommandInterface
import ObjectModel

/// A source of the names in a model, and of names that depend on no model.
protocol CompletionNames: CompletionSource {
  /// Returns the model of the objects that a line is about; `nil` if there is none or it can't be read.
  func model(of line: PartialLine) -> Model?

  /// Returns the names of a kind that does not depend on a model.
  func candidates(of kind: ValueKind, for line: PartialLine) -> [Candidate]
}

extension CompletionNames {
  func suggestions(
    of kind: ValueKind, for value: String, after stem: String, in line: PartialLine
  ) -> SuggestedWords {
    switch kind {
    case .text, .path, .paths, .folder, .command: return .none
    case .modelVersion, .version, .head, .storeName, .storeType, .attachment, .plugin:
      return SuggestedWords(candidates(of: kind, for: line), for: value, after: stem)
    case .entity, .entities, .keyPaths, .sortKeys, .aggregates, .predicate, .assignments,
      .variables, .template:
      guard let model = model(of: line) else { return .none }
      return ModelNames(model, line).suggestions(of: kind, for: value, after: stem)
    }
  }
}

/// The names of a session: those of its model.
struct SessionNames: CompletionNames {
  let model: Model

  func model(of line: PartialLine) -> Model? { model }

  func candidates(of kind: ValueKind, for line: PartialLine) -> [Candidate] { [] }
}
