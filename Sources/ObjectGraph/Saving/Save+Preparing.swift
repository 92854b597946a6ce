import ObjectModel

extension Save {
  /// Announces the save, and prepares the changes.
  func prepare(_ draft: consuming SaveDraft) throws -> SaveDraft {
    if draft.stage == .begun {
      // Observers are notified first, so that hooks and validation see the changes that observers make.
      try workspace.sealForUndo()
      workspace.announceChanges()
      workspace.announceSaving()
    }
    draft.stage = .announced
    draft.prepareAgain(workspace.drafts.states)
    return try settle(draft)
  }

  /// Calls `willSave`, merges inserted duplicates and computes derived values, until nothing changes any more.
  func settle(_ draft: consuming SaveDraft) throws -> SaveDraft {
    for _ in 0..<Workspace.mostRounds {
      try workspace.sealForUndo()
      draft.update(workspace.drafts.states)
      let isChanged = runHooks(&draft) {
        for object in workspace.drafts.changedObjects where type(of: object) != ManagedObject.self {
          object.willSave()
        }
      }
      try workspace.sealAll()
      let hasMerged = try DuplicateMerge(workspace).run()
      try DerivedValues(workspace).update()
      if !isChanged, !hasMerged, !workspace.hasUnprocessedChanges { return draft }
    }
    throw Save.endless
  }
}
