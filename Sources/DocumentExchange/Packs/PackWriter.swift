import Archives
import Checksums
import Documents
import DurableFiles
import Foundation
import JSONText
import ModelNotations
import StoreInterface

/// Writes a pack into the folder of a remote (spec §16.2).
struct PackWriter {
  /// The document whose versions are written. Its folder is the place beside which temporary files lie.
  let document: Document
  let remote: FolderRemote

  private var disk: any Disk { document.places.disk }

  /// A version with its changes since an earlier version.
  struct Part {
    let version: SharedVersion
    let from: String
    let changes: ChangeBook
    /// The model, if it differs from the model of ``from``.
    var model: SharedModel?
  }

  /// Writes versions with their changes.
  ///
  /// - Parameter read: Passes on the bytes of an attachment.
  /// - Returns: The number of bytes of the pack.
  func write(
    _ parts: [Part], _ read: (_ digest: String, ([UInt8]) throws -> Void) throws -> Void
  ) throws -> Int {
    try pack { folder in
      try disk.makeDirectory(folder.appendingPathComponent("changes"))
      if parts.contains(where: { $0.model != nil }) {
        try disk.makeDirectory(folder.appendingPathComponent("models"))
      }
      var packed: [PackedVersion] = []
      var digests: Set<String> = []
      for (index, one) in parts.enumerated() {
        let name = "changes/\(index + 1).jsonl"
        let text = one.changes.lines.map { $0.line + "\n" }.joined()
        try disk.makeFile(folder.appendingPathComponent(name), overwriting: false) {
          try $0.write(text)
        }
        let model = one.model == nil ? nil : "models/\(index + 1).xml"
        if let model, let bytes = try one.model.map({ try ModelSource.write($0.model) }) {
          try disk.makeFile(folder.appendingPathComponent(model), overwriting: false) {
            try $0.write(bytes)
          }
        }
        packed.append(
          PackedVersion(
            one.version, from: one.from, changes: name, model: model, files: one.changes.files))
        digests.formUnion(one.changes.files.values.compactMap { $0.new?.digest })
      }
      if !digests.isEmpty {
        try disk.makeDirectory(folder.appendingPathComponent(PackFormat.attachmentsFolder))
      }
      for digest in digests.sorted() {
        let path = "\(PackFormat.attachmentsFolder)/\(digest)"
        try disk.makeFile(folder.appendingPathComponent(path), overwriting: false) { writer in
          try read(digest) { try writer.write($0) }
        }
      }
      return packed
    }
  }

  /// Writes the whole document at the newest version of its open head, without its other heads.
  ///
  /// - Returns: The number of bytes of the pack.
  func write(whole version: SharedVersion) throws -> Int {
    try pack { folder in
      let copy = folder.appendingPathComponent(PackFormat.documentFolder)
      try document.copy(to: copy)
      let opened = try Document.open(copy, in: document.places, head: document.head)
      defer { try? opened.close() }
      try opened.heads.makeCurrent(document.head)
      for head in try opened.heads.names where head != document.head && head != HeadName.main {
        try opened.heads.remove(head)
      }
      try opened.close()
      try? disk.remove(copy.appendingPathComponent(Container.lockFile))
      return [PackedVersion(version)]
    }
  }

  private func pack(_ body: (_ folder: String) throws -> [PackedVersion]) throws -> Int {
    let folder = disk.temporaryPath(for: document.path + ".pack")
    let file = folder + ".zip"
    defer {
      try? disk.removeTree(folder)
      try? disk.remove(file)
    }
    try disk.makeDirectory(folder)
    let versions = try body(folder)
    let header = JSON.object([
      "format": .string(PackFormat.format), "version": .number(PackFormat.version),
      "stores": .strings(document.storeIdentifiers),
      "versions": .array(versions.map(\.json)),
    ])
    try disk.makeFile(
      folder.appendingPathComponent(PackFormat.headerFile), overwriting: false
    ) { writer in
      try writer.write(header.text + "\n")
    }
    var packing = FolderPacking(folder, on: disk)
    packing.isDocument = false
    _ = try packing.run(into: file)
    return try send(file)
  }

  /// Copies the file into the folder, under the digest of its bytes.
  private func send(_ file: String) throws -> Int {
    let source = try disk.open(file, for: .read)
    let byteCount = try source.byteCount()
    var hash = SHA256()
    try source.forEachPiece { hash.update($0) }
    let target = remote.path.appendingPathComponent("\(hash.digest())\(PackFormat.suffix)")
    if let signature = try remote.signing?.signature(of: file, on: disk) {
      try remote.disk.makeFile(target + Exchange.Signing.suffix, overwriting: true) { writer in
        try writer.write(signature)
      }
    }
    if try remote.disk.exists(target) { return byteCount }
    try remote.disk.makeFile(target, overwriting: false) { writer in
      try source.forEachPiece { try writer.write($0) }
    }
    return byteCount
  }
}

extension Document {
  /// The UUIDs of the stores, in ascending order. Copies that can exchange versions have the same ones.
  var storeIdentifiers: [String] { stores.map(\.uuid.uuidString).sorted() }
}
