package import Documents
import ObjectGraph

/// The merge of the attachments of documents, by their names and digests.
package struct AttachmentMerge {
  /// The attachments that both sides have changed differently.
  package let conflicts: [Conflict]
  private let base: [String: Attachment]
  private let ours: [String: Attachment]
  private let theirs: [String: Attachment]
  private let source: Document?

  /// An attachment that both sides have changed differently; `nil` on a side that does not have it.
  package struct Conflict {
    package let name: String
    package let base: Attachment?
    package let ours: Attachment?
    package let theirs: Attachment?
  }

  /// Compares the attachments. A single store has none, and leaves the attachments of the other sides alone.
  init(base: Document?, ours: Document?, theirs: Document?) {
    func attachments(_ document: Document?) -> [String: Attachment] {
      Dictionary(
        (document?.attachments ?? []).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }
      )
    }
    source = ours == nil ? nil : theirs
    let before = attachments(base)
    (self.base, self.ours, self.theirs) = (before, attachments(ours), attachments(theirs))
    guard source != nil else {
      conflicts = []
      return
    }
    let (here, there) = (self.ours, self.theirs)
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
    guard source != nil else { return [] }
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
  ///   - before: The document of the base.
  func apply(_ sides: [MergeSide], to document: Document, base before: Document?) throws {
    for name in changedNames { try put(theirs[name], name, from: source, in: document) }
    for (conflict, side) in zip(conflicts, sides) {
      switch side {
      case .ours: continue
      case .theirs: try put(conflict.theirs, conflict.name, from: source, in: document)
      case .base: try put(conflict.base, conflict.name, from: before, in: document)
      }
    }
  }

  private func put(
    _ attachment: Attachment?, _ name: String, from source: Document?, in document: Document
  ) throws {
    guard attachment != nil, let source else {
      if document.attachments.contains(where: { $0.name == name }) {
        try document.removeAttachment(named: name)
      }
      return
    }
    let reader = try source.openAttachment(named: name)
    try document.addAttachment(named: name) { write in try reader.forEachPiece { try write($0) } }
  }
}
