public import Foundation
public import ObjectModel

// The versions and the attachments of the document.
extension ManagedDocument {
  /// The contents as the last save wrote them: stores, models, attachments and versions.
  public var manifest: Manifest { document.manifest }

  /// The versions, the oldest first.
  public var versions: [Manifest.VersionEntry] { document.versions }

  /// The versions of the model that the document has, each with its name.
  public var modelVersions: [(name: String, model: Model)] {
    get throws { try document.modelVersions }
  }

  /// Opens a version for reading.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noVersion``; `StoreError` if a store is damaged.
  public func open(version number: Int64) throws -> Document { try document.open(version: number) }

  /// Names a version, so that it is kept, or removes its name.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noVersion``; the errors of a save.
  public func nameVersion(_ number: Int64, _ name: String?) throws {
    try document.nameVersion(number, name)
  }

  /// Forgets the versions that a policy does not keep.
  ///
  /// - Returns: The number of versions that are gone.
  /// - Throws: The errors of a save.
  @discardableResult
  public func thin(_ policy: VersionPolicy = .usual, now: Date = Date()) throws -> Int {
    try document.thin(policy, now: now)
  }

  /// Gives the space of forgotten versions and removed attachments back to the system.
  ///
  /// - Throws: `StoreError` if a file can't be written.
  public func vacuum() throws { try document.vacuum() }

  /// Adds an attachment, or replaces the attachment of the name. The next save keeps it.
  ///
  /// - Parameter body: Writes the bytes, a piece at a time.
  /// - Throws: ``DocumentError`` for a name that is empty or too long; the errors of `body`.
  @discardableResult
  public func addAttachment(
    named name: String, _ body: (_ write: ([UInt8]) throws -> Void) throws -> Void
  ) throws -> Attachment { try document.addAttachment(named: name, body) }

  /// Removes an attachment with the next save.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noAttachment``.
  public func removeAttachment(named name: String) throws {
    try document.removeAttachment(named: name)
  }

  /// Opens an attachment for reading.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noAttachment``.
  public func openAttachment(named name: String) throws -> AttachmentReader {
    try document.openAttachment(named: name)
  }
}
