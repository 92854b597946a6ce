public import ObjectGraph

/// The state of a ``ManagedDocument``: its activity, or its last error.
public enum DocumentState: Sendable {
  case closed
  /// The document is open, and there is no error.
  case normal
  /// The document is open and can't be saved: it was opened for reading only, or was moved or removed.
  case editingDisabled(any Error)
  /// The document is being saved.
  case saving
  /// The last save failed because another save has changed the same objects. Nothing is lost: set a merge
  /// policy (``ManagedDocument/resolveConflicts(_:)``), or revert.
  case inConflict(ContextError)
  /// The last save failed. Nothing is lost, and the next autosave tries again.
  case saveFailed(any Error)

  /// The state's name, to compare states by.
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

  /// The error that prevents saving, or `nil` if there is none.
  public var error: (any Error)? {
    switch self {
    case .closed, .normal, .saving: nil
    case .editingDisabled(let error), .saveFailed(let error): error
    case .inConflict(let error): error
    }
  }

  /// The names of states.
  public enum Name: String, Sendable, Hashable, CaseIterable {
    /// One name for each state.
    case closed, normal, editingDisabled, saving, inConflict, saveFailed
  }
}
