import Documents
import ObjectGraph
import ObjectModel
import StoreInterface

extension Connection {
  /// Sets, adds or removes objects of a relationship.
  func relate(_ number: UInt64, _ name: String, _ how: Int32, _ numbers: [UInt64]) throws {
    let object = try object(number)
    let relationship = try relationship(name, of: object)
    let others = try numbers.map { try self.object($0) }
    try check(others, for: relationship)
    guard relationship.isToMany || how == 0 && others.count < 2 else {
      throw CallError(
        .badChange, "\"\(name)\" refers to one object: set one, or none.")
    }
    switch how {
    case 0: object.setObjects(others, forKey: name)
    case 1: for other in others { object.add(other, to: name) }
    case 2: for other in others { object.remove(other, from: name) }
    default: throw CallError(.badArgument, "\(how) is not a way to change a relationship.")
    }
  }

  /// Saves the objects and the attachments.
  ///
  /// - Returns: The number of the document's newest version, or of the store's commit.
  func save(_ message: String?) throws -> Int64 {
    if let stack = context.undoStack, stack.groupingLevel > 0 {
      throw CallError(.badArgument, "A step is open: call quire_end before a save.")
    }
    context.transactionMessage = message
    defer { context.transactionMessage = nil }
    if context.hasChanges {
      try context.save()
    } else if let document, document.hasStagedAttachments {
      try document.save(author: context.transactionAuthor, message: message)
    }
    return try document?.manifest.number ?? store.snapshot().commit
  }

  /// The undo stack, which must have no open step.
  var idleUndoStack: UndoStack {
    get throws {
      let stack = context.undoStack!
      guard stack.groupingLevel == 0 else {
        throw CallError(.badArgument, "A step is open: call quire_end first.")
      }
      return stack
    }
  }

  /// Shows the saves of further programs.
  ///
  /// - Returns: Whether there was something new.
  func refresh() throws -> Bool {
    let before = try store.snapshot().commit
    let isNew = try document?.refresh() ?? false
    // A fetch makes the context advance to the newest commit of its store.
    if let entity = model.entities.first { _ = try count(of: entity.name) }
    context.refreshAllObjects()
    return try isNew || store.snapshot().commit != before
  }
}
