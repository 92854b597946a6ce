public import ObjectGraph

/// What a ``ManagedDocument`` is doing, or what is in its way.
public enum DocumentState: Sendable {
  /// It is closed.
  case closed
  /// It is open, and everything is well.
  case normal
  /// It is open and can't be saved: it was opened for reading only, or was moved or removed.
  case editingDisabled(any Error)
  /// It is being saved.
  case saving
  /// Somebody else has changed what was to be saved. Nothing is lost: set a merge policy
  /// (``ManagedDocument/resolveConflicts(_:)``), or revert.
  case inConflict(ContextError)
  /// The last save failed. Nothing is lost, and the next autosave tries again.
  case saveFailed(any Error)

  /// The state's name, to be compared.
  public var name: Name {
    switch self {
    case .closed: .closed
    case .normal: .normal
    case .editingDisabled: .editingDisabled
    case .saving: .saving
    case .inConflict: .inConflict
    case .saveFailed: .saveFailed
    }
  }

  /// What is in the way; `nil` when nothing is.
  public var error: (any Error)? {
    switch self {
    case .closed, .normal, .saving: nil
    case .editingDisabled(let error), .saveFailed(let error): error
    case .inConflict(let error): error
    }
  }

  /// The names of states.
  public enum Name: String, Sendable, Hashable, CaseIterable {
    /// See the states of these names.
    case closed, normal, editingDisabled, saving, inConflict, saveFailed
  }
}
