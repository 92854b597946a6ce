import Comparison
import Documents
import DurableFiles
import Foundation
import ObjectGraph
import Rows
import StoreInterface

/// One exchange: the versions of the remote, and the versions of the open head that the remote lacks.
final class ExchangeTurn {
  let exchange: Exchange
  let remote: OpenRemote
  let graph: SharedGraph
  let contents: SharedContents
  /// The newest version of the open head that the remote has; `nil` if the remote lacks all of them.
  private(set) var known: Remotes.Known?
  /// The versions of the open head that the remote lacks, the oldest first.
  private(set) var own: [OwnVersions.Own] = []
  /// The versions that were merged into ``known`` without a change.
  private(set) var mergedIntoKnown: [String] = []
  /// The identities of all own versions that were added to the graph.
  private var added: Set<String> = []
  /// The versions whose changes make another version.
  private var refused: Set<String> = []
  var report = ExchangeReport()

  var document: Document { exchange.document }

  init(_ exchange: Exchange) throws {
    self.exchange = exchange
    try exchange.checkDocument()
    remote = try OpenRemote(exchange)
    graph = SharedGraph(remote.sources, at: exchange.path)
    contents = SharedContents(exchange.document, graph)
    let remotes = try exchange.document.remotes
    known =
      exchange.common?.own ?? remotes.newest(of: exchange.document.head, in: exchange.name)
    if let one = known,
      one.version(in: exchange.document) == nil || graph.versions[one.identity] == nil
    {
      known = nil
    }
    if known == nil { known = try findKnown() }
    try settle()
  }

  /// The files of the remote that were left out.
  var skipped: [ExchangeReport.SkippedFile] { (remote.folder?.skipped ?? []) + graph.skipped }

  /// Finds the newest version of the open head that the remote has, by computing identities. The result is remembered, because
  /// this reads all rows.
  private func findKnown() throws -> Remotes.Known? {
    let isNew = try document.remotes.newest(of: document.head, in: exchange.name) == nil
    if graph.versions.isEmpty, isNew, skipped.isEmpty { return nil }
    var after: (content: VersionContent, sums: [String: RowSum])?
    for version in document.versions.reversed() {
      let content = try document.content(ofVersion: version.number)
      defer { content.close() }
      // The changes lead back, from the version after this one.
      let changes = after.flatMap { try? content.changes(since: $0.content) }
      let sums =
        if let after, let changes {
          try content.sums(after: changes, after.sums)
        } else {
          try content.sums()
        }
      let identity = try content.identity(sums).description
      if graph.versions[identity] != nil {
        return Remotes.Known(
          remote: exchange.name, head: document.head, version, identity: identity, sums: sums)
      }
      after = (content, sums)
    }
    throw ExchangeError(
      .unrelated,
      "The document and the remote '\(exchange.name)' have no version in common, or the packs with it have not arrived.",
      path: document.path,
      hint:
        "Wait until all files have arrived. To begin anew, remove the remote, and add an empty folder."
    )
  }

  /// Finds the versions that the remote lacks, and remembers the newest that it has.
  func settle() throws {
    guard let start = known else { return }
    contents.add(start)
    let found = try OwnVersions(of: document, since: start)
    (own, mergedIntoKnown) = (found.versions, found.mergedIntoStart)
    let isAtRemote = own.map {
      !added.contains($0.version.identity) && graph.knows($0.version.identity)
    }
    let new = own.filter { !added.contains($0.version.identity) }
    graph.add(OwnSource(document, new))
    for one in new { contents.add(one.known) }
    added.formUnion(new.map(\.version.identity))
    if let last = isAtRemote.lastIndex(of: true) {
      known = own[last].known
      own.removeSubrange(...last)
    }
    try record(known!)
  }

  func record(_ one: Remotes.Known) throws {
    if document.isReadOnly || exchange.common != nil { return }
    let theirs = remote.source?.known(one.identity)
    try document.changeRemotes { remotes in
      remotes.record(one)
      guard let theirs else { return }
      for index in remotes.remotes.indices where remotes.remotes[index].name == exchange.name {
        remotes.remotes[index].theirs = theirs
      }
    }
  }

  /// The versions of the remote from which the open head derives.
  var taken: Set<String> {
    var found = document.versions.flatMap(\.received)
    if let known { found.append(known.identity) }
    found += own.map(\.version.identity)
    return graph.ancestors(found)
  }

  /// The newest foreign versions whose changes the open head does not have.
  var news: [SharedVersion] {
    let taken = taken
    return graph.tips(of: document.head).filter { !taken.contains($0.identity) }
  }

  // MARK: - Receiving

  /// Takes in the foreign changes. Versions in conflict become heads.
  func pull() throws {
    guard known != nil else { return }
    // A merge makes a new version, which a later tip may be compared with. Each tip is looked at once.
    for version in news where !taken.contains(version.identity) { try pull(version) }
    for index in report.conflicts.indices {
      report.conflicts[index].head = try keep(report.conflicts[index].version)
    }
    try removeMergedHeads()
  }

  /// Takes in a version, and reports a conflict.
  func pull(_ version: SharedVersion) throws {
    guard let known else { return }
    try exchange.progress(.receiving(version))
    do {
      let order = try order(of: version)
      if order == .newer { return try wait(forNewerModel: version) }
      guard try isGenuine(version, known) else {
        refused.insert(version.identity)
        throw Contradiction(reasons: [
          "The changes in the packs make another version than the packs say, and nothing was taken in."
        ])
      }
      if order == .same, own.isEmpty,
        graph.ancestors([version.identity]).contains(known.identity)
      {
        try follow(version, from: known)
      } else {
        try merge(version, known, order)
      }
    } catch let conflict as Contradiction {
      report.conflicts.append(
        ExchangeReport.Conflict(version: version, reasons: conflict.reasons, head: nil))
    } catch is SharedGraph.MissingAttachment {
      report.waiting.append(version)
    } catch let error as ComparisonError where error.code == .badPatch {
      // Devices that left out different versions of a model may number its entities in different ways.
      refused.insert(version.identity)
      report.conflicts.append(
        ExchangeReport.Conflict(version: version, reasons: [error.message], head: nil))
    }
  }

  /// Whether the changes in the packs lead to the contents that the identity of a version stands for. Reads the rows that differ
  /// from a known version.
  private func isGenuine(_ version: SharedVersion, _ known: Remotes.Known) throws -> Bool {
    guard let changes = try graph.changes(from: known.identity, to: version.identity) else {
      // Without all packs, the version has to wait.
      guard let rows = try contents.rows(of: version.identity) else { return true }
      return try rows.identity(of: version, in: document) == version.identity
    }
    let content = try document.content(ofVersion: known.number)
    defer { content.close() }
    var sums = known.sums
    let layers = try VersionRows(content, SharedModel(content.model)).layers(
      of: changes, named: "the remote '\(exchange.name)'")
    for (layer, (store, snapshot)) in zip(layers.map(\.theirs), content.stores) {
      sums[store.name] = try (sums[store.name] ?? RowSum(of: snapshot)).moved(
        from: snapshot, to: View(snapshot.tables + [layer]), by: layer)
    }
    var files = Dictionary(
      content.attachments.map { ($0.name, $0.digest) }, uniquingKeysWith: { one, _ in one })
    for (name, file) in changes.files { files[name] = file.new?.digest }
    let identity = try content.identity(
      sums, saved: version.saved, author: version.author, message: version.message,
      attachments: files.map { ($0.key, $0.value, false) })
    return identity.description == version.identity
  }

  private func merge(
    _ version: SharedVersion, _ known: Remotes.Known, _ order: ModelOrder
  ) throws {
    let changes = try graph.changes(of: version, since: taken) {
      try contents.difference(from: $0, to: $1)
    }
    guard let changes else {
      if order == .older {
        report.olderModel.append(version)
      } else {
        report.waiting.append(version)
      }
      return
    }
    let newest = own.last?.version
    let saved = max(newest?.saved ?? document.manifest.saved, version.saved)
    try take(
      changes, into: document,
      TakenVersions(received: [version.identity], saved: saved),
      theirsComeFirst: version.identity < newest?.identity ?? known.identity
    ) { try exchange.choose(version, $0) }
    report.received.append(version)
    try settle()
  }

  /// Saves versions of another device as the next versions of this document, which was not changed since.
  private func follow(_ version: SharedVersion, from known: Remotes.Known) throws {
    var before = known.identity
    for one in graph.line(from: before, to: version) ?? [version] {
      guard let changes = try contents.difference(from: before, to: one.identity) else {
        report.waiting.append(version)
        return
      }
      try take(changes, following: one, into: document)
      report.received.append(one)
      before = one.identity
    }
    try settle()
  }

  /// The reasons why changes can't be taken in without a choice.
  struct Contradiction: Error {
    let reasons: [String]
  }

  func take(
    _ changes: ChangeBook, following version: SharedVersion, into document: Document
  ) throws {
    try take(
      changes, into: document,
      TakenVersions(received: [version.identity], saved: version.saved), author: version.author,
      message: version.message)
  }

  private func take(
    _ changes: ChangeBook, into document: Document, _ taken: TakenVersions, author: String? = nil,
    message: String? = nil, theirsComeFirst: Bool = false,
    resolving choice: ([Merge.Conflict]) throws -> [MergeSide]? = { _ in nil }
  ) throws {
    let patch = try changes.patch(named: "the remote '\(exchange.name)'")
    let place = VersionedPath(document.path, VersionReference(.head(document.head)))
    let opened = try ComparedPlace(
      "\(document.path)@\(document.head)", at: place, in: document.places)
    defer { opened.close() }
    let sources = try MergeSources(base: opened, ours: opened, theirs: opened)
    let graph = graph
    do {
      if !changes.rows.isEmpty { try patch.check(sources.parts(into: sources.ours.stores)) }
      let merge = try Merge(
        sources, PlaceOpening(document.places, model: nil), taken: taken, receiver: document,
        attachments: changes.attachments(in: document) { attachment, document in
          try document.addAttachment(named: attachment.name) { write in
            try graph.read(attachment: attachment.digest, write)
          }
        }
      ) { part in
        var layers = try patch.layers(part, renumbers: false)
        layers.theirsComeFirst = theirsComeFirst
        return layers
      }
      (merge.author, merge.message) = (author, message)
      if merge.conflicts.isEmpty {
        try merge.save()
      } else if var sides = try choice(merge.conflicts) {
        // A person decides, so the version has the date of the decision.
        merge.taken = TakenVersions(received: taken.received)
        (merge.author, merge.message) = (exchange.author, exchange.message)
        try merge.save { _ in sides.removeFirst() }
      } else {
        throw Contradiction(reasons: merge.conflicts.map(\.description))
      }
    } catch let missing as SharedGraph.MissingAttachment {
      // Attachments that were added before the missing one must not come into the next version.
      document.discardStaged()
      throw missing
    } catch let error as ContextError {
      throw Contradiction(reasons: ["\(error)"])
    } catch let error as ComparisonError where error.code == .sameIdentifiers {
      throw Contradiction(reasons: [error.message])
    } catch let error as ComparisonError where error.code == .differentModels {
      throw ExchangeError(
        .notSupported, "The remote '\(exchange.name)' has another version of the model.",
        path: document.path, hint: "Migrate the document to it, and try again.")
    }
  }

  /// Shows each version that is not taken in as a head.
  func fetch() throws {
    report.conflicts = try news.compactMap { version in
      if try order(of: version) == .newer {
        report.newerModel.append(version)
        return nil
      }
      guard let head = try keep(version) else {
        report.waiting.append(version)
        return nil
      }
      return ExchangeReport.Conflict(version: version, reasons: [], head: head)
    }
  }

  /// The report of all work.
  var finished: ExchangeReport {
    var finished = report
    finished.skipped = skipped
    return finished
  }

  // MARK: - Conflicts

  /// The heads that were made for versions in conflict and that are not merged yet.
  func conflictedHeads() throws -> [Remotes.Known] {
    let taken = taken
    let heads = Set(try document.heads.names)
    return try document.remotes.known.filter { one in
      one.isShown && one.remote == exchange.name && heads.contains(one.head)
        && !taken.contains(one.identity)
    }
  }

  /// Removes the heads of versions that are merged by now, unless a save has changed them.
  private func removeMergedHeads() throws {
    let taken = taken
    let graph = try document.heads.graph()
    for one in try document.remotes.known
    where one.isShown && one.remote == exchange.name && taken.contains(one.identity) {
      if let head = graph.heads.first(where: { $0.name == one.head }) {
        // A head that stays lacks the changes of this document, and must not be merged later.
        guard head.versions.last?.number == one.number, try document.heads.current != one.head
        else {
          continue
        }
        try document.heads.remove(one.head)
      }
      try document.changeRemotes { $0.known.removeAll { $0 == one } }
    }
  }

  /// Makes a head that shows a version, or moves the head of an earlier version to it.
  ///
  /// - Returns: The name of the head; `nil` if a pack between is missing.
  func keep(_ version: SharedVersion) throws -> String? {
    guard let known, !refused.contains(version.identity) else { return nil }
    let derived = graph.ancestors([version.identity])
    // A head that was made before a migration has the older model, and stays as it is.
    let present = try conflictedHeads().first {
      try derived.contains($0.identity) && contents.isOfOwnModel($0.identity)
    }
    if let present, present.identity == version.identity { return present.head }
    let name = present?.head ?? "\(exchange.name)-\(version.identity.prefix(8))"
    guard
      let start = try present ?? (contents.isOfOwnModel(known.identity) ? known : own.last?.known),
      let changes = try contents.difference(from: start.identity, to: version.identity)
    else { return nil }
    if present == nil, !(try document.heads.names.contains(name)) {
      try document.heads.make(name, at: start.number)
    }
    let head = try document.open(head: name, access: .shared)
    defer { try? head.close() }
    // A head that was saved since is not moved.
    guard head.manifest.number == start.number else { return name }
    do { try take(changes, following: version, into: head) } catch is Contradiction {
      return nil
    } catch is SharedGraph.MissingAttachment {
      return nil
    }
    let content = try head.content(ofVersion: head.manifest.number)
    defer { content.close() }
    try document.changeRemotes { remotes in
      remotes.record(
        Remotes.Known(
          remote: exchange.name, head: name, content.version, identity: version.identity,
          sums: [:], isShown: true))
    }
    return name
  }
}

extension ChangeBook {
  /// Returns the merge of the attachments of a document with these changes.
  func attachments(
    in document: Document, _ copying: @escaping AttachmentMerge.Copying
  ) -> AttachmentMerge {
    let ours = document.attachmentsByName
    var (base, theirs) = (ours, ours)
    for (name, file) in files {
      func attachment(_ file: AttachedFile?) -> Attachment? {
        file.map { Attachment(name: name, digest: $0.digest, byteCount: $0.byteCount) }
      }
      (base[name], theirs[name]) = (attachment(file.old), attachment(file.new))
    }
    return AttachmentMerge(
      base: base, ours: ours, theirs: theirs, copying: (copying, copying))
  }
}
