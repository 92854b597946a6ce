package import Documents
import ObjectGraph

/// The merge of the attachments of documents, by their names and digests.
package struct AttachmentMerge {
  /// The attachments that both sides have changed differently.
  package let conflicts: [Conflict]
  private let base: [String: Attachment]
  private let ours: [String: Attachment]
  private let theirs: [String: Attachment]
  /// Copy attachments of the base and of the second copy; `nil` if attachments take no part.
  private let copying: (base: Copying, theirs: Copying)?

  /// Adds an attachment to the document that receives the changes.
  package typealias Copying = (_ attachment: Attachment, _ document: Document) throws -> Void

  /// An attachment that both sides have changed differently; `nil` on a side that does not have it.
  package struct Conflict {
    package let name: String
    package let base: Attachment?
    package let ours: Attachment?
    package let theirs: Attachment?
  }

  /// Compares the attachments. A single store has none, and leaves the attachments of the other sides alone.
  init(base: Document?, ours: Document?, theirs: Document?) {
    func copying(_ source: Document?) -> Copying {
      { attachment, document in
        guard let reader = try source?.openAttachment(named: attachment.name) else { return }
        try document.addAttachment(named: attachment.name) { write in
          try reader.forEachPiece { try write($0) }
        }
      }
    }
    self.init(
      base: base?.attachmentsByName ?? [:], ours: ours?.attachmentsByName ?? [:],
      theirs: theirs?.attachmentsByName ?? [:],
      copying: ours == nil || theirs == nil ? nil : (copying(base), copying(theirs)))
  }

  /// Compares attachments by their names.
  ///
  /// - Parameter copying: Copy attachments of the base and of the second copy; `nil` if attachments take no part.
  package init(
    base before: [String: Attachment], ours here: [String: Attachment],
    theirs there: [String: Attachment], copying: (base: Copying, theirs: Copying)?
  ) {
    self.copying = copying
    (base, ours, theirs) = (before, here, there)
    guard copying != nil else {
      conflicts = []
      return
    }
    conflicts = Set(here.keys).union(there.keys).sorted().compactMap { name in
      let digests = [before[name]?.digest, here[name]?.digest, there[name]?.digest]
      guard digests[1] != digests[2], digests[0] != digests[1], digests[0] != digests[2] else {
        return nil
      }
      return Conflict(name: name, base: before[name], ours: here[name], theirs: there[name])
    }
  }

  /// The names of the attachments that the merge adds, changes or removes, without the conflicts.
  private var changedNames: [String] {
    guard copying != nil else { return [] }
    return Set(base.keys).union(theirs.keys).sorted().filter { name in
      theirs[name]?.digest != base[name]?.digest && theirs[name]?.digest != ours[name]?.digest
        && !conflicts.contains { $0.name == name }
    }
  }

  /// Whether the merge changes attachments.
  func hasChanges(_ sides: [MergeSide]) -> Bool {
    !changedNames.isEmpty || sides.contains { $0 != .ours }
  }

  /// Makes the changes in the document that receives them. The next save of the document includes them.
  ///
  /// - Parameters:
  ///   - sides: The side that wins each conflict.
  func apply(_ sides: [MergeSide], to document: Document) throws {
    guard let copying else { return }
    for name in changedNames { try put(theirs[name], name, copying.theirs, in: document) }
    for (conflict, side) in zip(conflicts, sides) {
      switch side {
      case .ours: continue
      case .theirs: try put(conflict.theirs, conflict.name, copying.theirs, in: document)
      case .base: try put(conflict.base, conflict.name, copying.base, in: document)
      }
    }
  }

  private func put(
    _ attachment: Attachment?, _ name: String, _ copy: Copying, in document: Document
  ) throws {
    guard let attachment else {
      if document.attachments.contains(where: { $0.name == name }) {
        try document.removeAttachment(named: name)
      }
      return
    }
    try copy(attachment, document)
  }
}

extension Document {
  package var attachmentsByName: [String: Attachment] {
    Dictionary(attachments.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
