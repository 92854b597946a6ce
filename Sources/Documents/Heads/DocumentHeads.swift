import DurableFiles
public import StoreInterface
import Synchronization

/// The heads of a document (spec §7.7). A head is a line of versions with a name, and a save adds a version to one head
/// only.
///
/// ```text
/// try document.heads.make("draft")
/// let draft = try document.open(head: "draft")
/// ```
///
/// Make a head to try a change of a document while its readers still see the head that they have open. Every document
/// has the head `main`. Opening without a name opens the ``current`` one.
///
/// A head has its own copies of the stores' files, so a save on one head never changes another, and the cost of a head is
/// the size of these files. Attachments are shared.
///
/// One lock covers all heads. So a program that has two heads open for writing at a time opens both with shared access.
public struct DocumentHeads {
  let document: Document

  /// The names of the heads, `main` first.
  ///
  /// - Throws: ``DocumentError`` if the manifest of `main` can't be read.
  public var names: [String] {
    get throws {
      let (container, manifest) = document.state.withLock { ($0.container, $0.manifest) }
      return try container.headNames(manifest)
    }
  }

  /// Makes a head at a version of the open head. The new head has this version and the versions before it.
  ///
  /// Objects keep their identifiers. Objects that are inserted on the two heads from then on never get the same
  /// identifier, except in stores whose copies don't (decision 0032 names them).
  ///
  /// - Parameters:
  ///   - name: A name of 1 to 64 letters, digits, `-` and `_`, which begins with a letter.
  ///   - number: The version; `nil` for the newest.
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noHead`` for an invalid name, with code
  ///   ``DocumentError/Code/exists`` if there is such a head, or with code ``DocumentError/Code/noVersion``; with code
  ///   ``DocumentError/Code/notSupported`` if a store lies on a server. The document is unchanged then.
  public func make(_ name: String, at number: Int64? = nil) throws {
    try document.withExclusiveAccess {
      try check(name)
      let (container, manifest) = document.state.withLock { ($0.container, $0.manifest) }
      let number = number ?? manifest.number
      guard manifest.versions.contains(where: { $0.number == number }) else {
        throw DocumentError.noVersion(number, document.path)
      }
      let made = HeadMaking(
        source: container, manifest: manifest, target: container.on(name), places: document.places)
      do {
        try made.run(at: number)
        try changeMain { $0.heads.append(name) }
      } catch {
        // After a failed sync, the manifest that names the head may be in place nevertheless.
        if let main = try? container.on(nil).writtenManifest().manifest, !main.heads.contains(name)
        {
          made.removeFiles()
        }
        throw error
      }
    }
  }

  /// Throws the error with which ``make(_:at:)`` would refuse a name.
  package func check(_ name: String) throws {
    if let objection = HeadName.objection(to: name) {
      throw DocumentError(
        .noHead, "\"\(name.prefix(100))\" can't be the name of a head: it \(objection).",
        path: document.path)
    }
    try document.container.refuseServers(document.manifest, "A head")
    let folded = ContainerPath.folded(name)
    guard try !names.contains(where: { ContainerPath.folded($0) == folded }) else {
      throw DocumentError(.exists, "The document has a head \"\(name)\".", path: document.path)
    }
  }

  /// Throws the error with which ``remove(_:)`` would refuse a head.
  package func checkRemoval(of name: String) throws {
    let container = document.container
    let reason: String? =
      if name == HeadName.main {
        "every document has it"
      } else if name == container.headName {
        "it is open"
      } else {
        try container.currentHead == name ? "it is the current head" : nil
      }
    if let reason {
      throw DocumentError(
        .notSupported, "The head \"\(name)\" can't be removed: \(reason).", path: document.path)
    }
    _ = try container.mainManifest(naming: name)
  }

  /// Removes a head with its versions, also if its manifest is damaged. Files that only this head names are removed.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noHead`` if the head does not exist, or with code
  ///   ``DocumentError/Code/notSupported`` for `main`, the open head and the current head; the errors of a save.
  public func remove(_ name: String) throws {
    try document.withExclusiveAccess {
      try checkRemoval(of: name)
      let container = document.container
      let removed = try readIfSound { try container.on(name).writtenManifest().manifest }
      try changeMain { $0.heads.removeAll { $0 == name } }
      let own = document.manifest
      // The head is removed by now. If a file of it can't be removed, no reader looks at the file, and the next opening
      // for writing tries again.
      container.removeFiles(ofHead: name, own, removed)
      try VersionThinning(document: document).removeUnnamed(
        removed?.attachments ?? [], container, own)
    }
  }

  /// Saves the result of a merge: a version of the open head that names the versions of other heads which were merged
  /// into it.
  ///
  /// The caller has compared the heads already, and gives the changes that follow. Without changes the version is made
  /// all the same: the next merge begins after the versions that this one names.
  ///
  /// - Parameters:
  ///   - parts: The changes, as for ``Document/commit(_:)``.
  ///   - versions: The numbers of the versions, of any head.
  /// - Throws: As ``Document/commit(_:)``; ``DocumentError`` with code ``DocumentError/Code/noVersion`` for a number that no
  ///   head has.
  @discardableResult
  public func commit(
    _ parts: [(store: any Store, request: CommitRequest)], merging versions: [Int64],
    author: String? = nil, message: String? = nil
  ) throws -> [any StoreSnapshot] {
    let known = try graph()
    if let number = versions.filter({ !known.contains($0) }).min() {
      throw DocumentError.noVersion(number, document.path)
    }
    return try taking(TakenVersions(merged: versions)) {
      try document.commit(parts, VersionOrigin(author: author, message: message)) { _ in }
    }
  }

  /// Returns the parents of a version of the open head: the version before it, then the versions that it has merged. Some
  /// of them may have been forgotten.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noVersion``.
  public func parents(ofVersion number: Int64) throws -> [Int64] {
    let versions = document.versions
    guard let place = versions.firstIndex(where: { $0.number == number }) else {
      throw DocumentError.noVersion(number, document.path)
    }
    return (place > 0 ? [versions[place - 1].number] : []) + versions[place].merged
  }

  /// Replaces the manifest of `main`, which lists the heads. The caller has exclusive access.
  private func changeMain(_ change: (inout Manifest) -> Void) throws {
    let main = document.container.on(nil)
    guard document.container.head != nil else {
      let before = document.manifest
      var manifest = before
      change(&manifest)
      return try document.confirm(manifest, insteadOf: before)
    }
    var manifest = try main.manifest().manifest
    change(&manifest)
    try main.replace(manifest, at: main.manifestPath)
  }
}

extension DocumentHeads {
  /// The versions that the saves of the present call take in. It is not a parameter of a save, because a context saves through
  /// several steps that know nothing of heads.
  @TaskLocal static var taken = TakenVersions()

  /// Calls `body`. Each version that it saves in the document names the given versions.
  package func taking<R>(_ taken: TakenVersions, _ body: () throws -> R) rethrows -> R {
    try Self.taking(taken, body)
  }

  /// Calls `body`, as ``taking(_:_:)`` does, for a document that is not open.
  package static func taking<R>(_ taken: TakenVersions, _ body: () throws -> R) rethrows -> R {
    try $taken.withValue(taken, operation: body)
  }
}

extension Document {
  /// Opens a head of this document, such as the head that its users change while this one stays as it is.
  ///
  /// One lock covers all heads. So to change two heads at a time, open both for shared access.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noHead``; the errors of opening a document.
  public func open(head: String, access: Access = .readOnly) throws -> Document {
    try Document.open(path, in: places, access: access, head: head)
  }

  /// The heads of the document.
  public var heads: DocumentHeads { DocumentHeads(document: self) }
  /// The name of the head that is open.
  public var head: String { container.headName }
}
