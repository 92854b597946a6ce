import ObjectModel

/// A source of the names that a command line may contain, beside the names in the commands' own descriptions.
protocol CompletionNames {
  /// Returns the model of the objects that a line is about; `nil` if there is none or it can't be read.
  func model(of line: PartialLine) -> Model?

  /// Returns the names of a kind that does not depend on a model.
  func candidates(of kind: ValueKind, for line: PartialLine) -> [Candidate]
}

/// The names of a session: those of its model.
struct SessionNames: CompletionNames {
  let model: Model

  func model(of line: PartialLine) -> Model? { model }

  func candidates(of kind: ValueKind, for line: PartialLine) -> [Candidate] { [] }
}
