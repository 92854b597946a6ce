import ObjectModel

extension Save {
  /// Validates the changes, and announces them to the observers.
  ///
  /// The save includes the changes of observers. If there are any, the draft has to be prepared and validated again.
  ///
  /// - Throws: ``ContextError`` with all failures and conflicts; the first error of a read since the last save.
  func validate(_ draft: consuming SaveDraft) throws -> SaveDraft {
    draft = try check(draft)
    guard draft.validation.isComplete else { return draft }
    try draft.validation.throwFailures()
    try workspace.throwReadFailure()
    let isChanged = runHooks(&draft) { workspace.announceChanges() }
    if isChanged || draft.isMoved {
      draft.validation = SaveDraft.Validation()
    } else {
      draft.stage = .validated
    }
    return draft
  }

  /// Validates the objects that were not validated yet: by their classes, by the rules of the model, and by unique
  /// values. A class may correct values while it validates.
  func check(_ draft: consuming SaveDraft) throws -> SaveDraft {
    if workspace.settings.defersValidation {
      draft.validation.isComplete = true
      return draft
    }
    let validator = ObjectValidator(workspace)
    let objects = workspace.drafts.changedObjects
    let next = objects[min(draft.validation.askedCount, objects.count)...]
    draft.validation.askedCount = objects.count
    var failures: [ValidationFailure] = []
    let isChanged = runHooks(&draft) { failures = validator.failuresOfClasses(of: next) }
    draft.validation.failures += failures
    if isChanged {
      try workspace.sealForUndo()
      try DerivedValues(workspace).update()
      try workspace.sealAll()
      draft.update(workspace.drafts.states)
    }
    draft.validation.isComplete =
      workspace.drafts.changedObjects.count == draft.validation.askedCount
    guard draft.validation.isComplete else { return draft }
    draft.validation.failures += try validator.failuresOfModel()
    draft.validation.conflicts = try UniquenessCheck(workspace).conflicts()
    return draft
  }
}
