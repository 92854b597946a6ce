import Checksums
package import DurableFiles
import StoreInterface
import Synchronization

/// A file in a document.
public struct Attachment: Sendable, Hashable {
  /// The name that the application has given to the attachment.
  public let name: String
  /// The SHA-256 of the attachment's bytes in hexadecimal digits, which names its file in the document.
  public let digest: String
  /// The number of the attachment's bytes.
  public let byteCount: Int

  package init(name: String, digest: String, byteCount: Int) {
    (self.name, self.digest, self.byteCount) = (name, digest, byteCount)
  }
}

/// The attachment that a staged change belongs to.
struct StagedName: Hashable {
  var name: String
  var isContent: Bool
}

/// A change of an attachment that the next save makes.
enum StagedAttachment: Equatable {
  case put(digest: String, byteCount: Int)
  case remove
}

/// The bytes of an attachment, read piece by piece.
public struct AttachmentReader: Sendable {
  /// The number of the attachment's bytes.
  public let byteCount: Int
  private let file: DurableFile
  private let digest: String

  init(_ file: DurableFile, byteCount: Int, digest: String) {
    self.file = file
    self.byteCount = byteCount
    self.digest = digest
  }

  /// Reads up to `byteCount` bytes from `offset` on. The result is shorter where the attachment ends.
  ///
  /// - Throws: ``DocumentError`` if the disk refuses.
  public func read(byteCount: Int, at offset: Int) throws -> [UInt8] {
    let count = min(byteCount, max(0, self.byteCount - offset))
    do { return try file.read(byteCount: count, at: offset) } catch {
      throw DocumentError(error, path: file.path)
    }
  }

  /// Calls `body` with all bytes, a piece at a time.
  ///
  /// - Throws: Any error that `body` throws; ``DocumentError`` if the disk refuses, or at the end if the bytes are not
  ///   those that were added.
  public func forEachPiece(
    byteCount: Int = 1 << 18, _ body: ([UInt8]) throws -> Void
  ) throws {
    var offset = 0
    var hash = SHA256()
    while offset < self.byteCount {
      let piece = try read(byteCount: byteCount, at: offset)
      hash.update(piece)
      try body(piece)
      offset += piece.count
    }
    guard hash.digest().description == digest else {
      throw DocumentError(
        .damaged, "The bytes of the attachment are not those that were added.", path: file.path)
    }
  }
}

extension Document {
  /// The attachments of the newest version, or of the version that is shown, sorted by name.
  public var attachments: [Attachment] {
    let number = shownVersion ?? .max - 1
    return manifest.attachments.filter { !$0.isContent && $0.isPart(of: number) }
      .map { Attachment(name: $0.name, digest: $0.digest, byteCount: $0.byteCount) }
      .sorted { $0.name < $1.name }
  }

  /// Adds a file to the document. It is part of the document from the next save on.
  ///
  ///     try document.addAttachment(named: "lisbon.jpg") { write in
  ///       while let piece = try next() { try write(piece) }
  ///     }
  ///
  /// The bytes are durable when this function returns. The next save replaces an attachment of the same name;
  /// earlier versions keep it. Attachments with equal bytes share one file under any names.
  ///
  /// - Throws: Any error that `body` throws; ``DocumentError`` if the name is empty, longer than 1024 bytes or
  ///   contains a zero byte, or the disk refuses.
  @discardableResult
  public func addAttachment(
    named name: String, _ body: (_ write: ([UInt8]) throws -> Void) throws -> Void
  ) throws -> Attachment {
    guard !name.isEmpty, name.utf8.count <= 1024, !name.utf8.contains(0) else {
      throw DocumentError(
        .noAttachment, "The name of an attachment must have 1 to 1024 bytes.", path: path)
    }
    let (digest, byteCount) = try takeIn(body)
    state.withLock { state in
      state.staged[StagedName(name: name, isContent: false)] = .put(
        digest: digest, byteCount: byteCount)
      state.hasStaged(digest)
    }
    return Attachment(name: name, digest: digest, byteCount: byteCount)
  }

  /// Removes an attachment from the document with the next save. Earlier versions keep it.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noAttachment`` if the attachment does not exist.
  public func removeAttachment(named name: String) throws {
    let key = StagedName(name: name, isContent: false)
    let isThere = state.withLock { state in
      if case .put? = state.staged[key] { return true }
      return state.manifest.attachments.contains {
        $0.name == name && !$0.isContent && $0.until == nil
      }
    }
    guard isThere else { throw noAttachment(name) }
    state.withLock { $0.staged[key] = .remove }
  }

  /// Whether attachments were added or removed since the last save.
  public var hasStagedAttachments: Bool { state.withLock { !$0.staged.isEmpty } }

  /// Discards the changes of attachments that were not saved.
  package func discardStaged() { state.withLock { $0.staged = [:] } }

  /// Opens an attachment, including one that was added and is not saved yet.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noAttachment``; ``DocumentError`` with code
  ///   ``DocumentError/Code/damaged`` if the attachment's file has another size, or another code if the file
  ///   can't be opened.
  public func openAttachment(named name: String) throws -> AttachmentReader {
    try reader(of: StagedName(name: name, isContent: false))
  }

  func reader(of key: StagedName) throws -> AttachmentReader {
    let number = shownVersion ?? .max - 1
    let (digest, byteCount): (String, Int)
    switch state.withLock({ $0.staged[key] }) {
    case .remove?: throw noAttachment(key.name)
    case .put(let known, let count)?: (digest, byteCount) = (known, count)
    case nil:
      let entry = manifest.attachments.first {
        $0.name == key.name && $0.isContent == key.isContent && $0.isPart(of: number)
      }
      guard let entry else { throw noAttachment(key.name) }
      (digest, byteCount) = (entry.digest, entry.byteCount)
    }
    let container = container
    return try container.reading {
      let path = container.attachment(digest)
      let file = try container.disk.open(path, for: .read, links: .refusedBelow(container.path))
      let found = try file.byteCount()
      guard found == byteCount else {
        throw DocumentError(
          .damaged,
          "The attachment \"\(key.name)\" has \(found) bytes, but the manifest gives "
            + "\(byteCount).", path: path)
      }
      return AttachmentReader(file, byteCount: byteCount, digest: digest)
    }
  }

  /// Opens the bytes of an attachment of any version; `nil` if no version has them.
  package func openAttachment(digest: String) throws -> AttachmentReader? {
    guard let entry = manifest.attachments.first(where: { $0.digest == digest }) else { return nil }
    let container = container
    return try container.reading {
      let path = container.attachment(digest)
      let file = try container.disk.open(path, for: .read, links: .refusedBelow(container.path))
      return AttachmentReader(file, byteCount: entry.byteCount, digest: digest)
    }
  }

  private func noAttachment(_ name: String) -> DocumentError {
    DocumentError(.noAttachment, "The attachment \"\(name)\" does not exist.", path: path)
  }

  /// Writes bytes into the folder of attachments, as a file named by their digest.
  ///
  /// The caller stages the attachment, and then calls ``State/hasStaged(_:)``.
  func takeIn(
    _ body: (_ write: ([UInt8]) throws -> Void) throws -> Void
  ) throws -> (digest: String, byteCount: Int) {
    guard !isReadOnly else {
      throw DocumentError.readOnly(path)
    }
    try checkOpen()
    let container = container
    let disk = container.disk
    return try container.reading {
      try container.checkFolders()
      let folder = container.inner(Container.attachmentsFolder)
      if try !disk.exists(folder) { try disk.makeDirectory(folder) }
      // A temporary name, so that a signal removes the file, and after a crash any writer of the document.
      let incoming = disk.temporaryPath(for: "\(folder)/attachment")
      do {
        let file = try disk.open(incoming, for: .create)
        var hash = SHA256()
        var byteCount = 0
        try body { piece in
          hash.update(piece)
          byteCount += piece.count
          try file.append(piece)
        }
        try file.sync()
        let digest = hash.digest().description
        let path = container.attachment(digest)
        // A thread that thins the document must not remove a file that exists already and is not staged yet. After an
        // error the file stays until the document is opened again.
        state.withLock { $0.incoming.append(digest) }
        // A file with the same bytes may exist already, and readers may have it open.
        if (try? container.checkAttachment(digest, byteCount: byteCount)) != nil {
          try disk.remove(incoming)
        } else {
          try disk.rename(incoming, to: path)
        }
        try disk.syncDirectory(folder)
        return (digest, byteCount)
      } catch {
        try? disk.remove(incoming)
        throw error
      }
    }
  }

  static func digest(of bytes: [UInt8]) -> String { SHA256.digest(of: bytes).description }

  /// Makes staged changes of attachments part of a version.
  ///
  /// - Throws: ``DocumentError`` if the bytes of an added attachment are gone because another process has
  ///   tidied up.
  func apply(
    _ staged: [StagedName: StagedAttachment], to manifest: inout Manifest, _ number: Int64
  ) throws {
    for (key, change) in staged.sorted(by: { $0.key.name < $1.key.name }) {
      let index = manifest.attachments.firstIndex {
        $0.name == key.name && $0.isContent == key.isContent && $0.until == nil
      }
      if case .put(let digest, byteCount: _) = change, let index,
        manifest.attachments[index].digest == digest
      {
        continue
      }
      if let index { manifest.attachments[index].until = number }
      guard case .put(let digest, let byteCount) = change else { continue }
      let path = container.attachment(digest)
      guard try container.disk.exists(path) else {
        throw DocumentError(
          .noAttachment,
          "The bytes of the attachment \"\(key.name)\" are missing. Add the attachment again.",
          path: path)
      }
      manifest.attachments.append(
        Manifest.AttachmentEntry(
          name: key.name, digest: digest, byteCount: byteCount, since: number,
          isContent: key.isContent))
    }
  }
}

extension Document.State {
  /// Records that an attachment which was taken in is staged.
  mutating func hasStaged(_ digest: String) {
    if let index = incoming.firstIndex(of: digest) { incoming.remove(at: index) }
  }
}

extension Container {
  /// Throws unless the file of each attachment in a document's folder has the bytes that were added.
  package static func checkAttachments(ofDocumentAt path: String, on disk: any Disk) throws {
    let container = Container(path: path, disk: disk, backends: StoreBackends([]))
    let folder = container.inner(attachmentsFolder)
    guard try disk.exists(folder) else { return }
    // The name of an attachment is a digest of 64 digits. Files with names of another length are not finished.
    for entry in try disk.list(folder) where entry.name.utf8.count == 64 {
      let status = try disk.status(of: container.attachment(entry.name))
      try container.checkAttachment(entry.name, byteCount: status.byteCount)
    }
  }

  /// Throws unless the file of an attachment has the bytes that were added.
  func checkAttachment(_ digest: String, byteCount: Int) throws {
    try checkIsFile(Container.attachmentFile(digest))
    let file = try disk.open(attachment(digest), for: .read, links: .refusedBelow(path))
    guard try file.byteCount() == byteCount else {
      throw DocumentError(
        .damaged, "The attachment does not have \(byteCount) bytes.", path: file.path)
    }
    try AttachmentReader(file, byteCount: byteCount, digest: digest).forEachPiece { _ in }
  }
}
