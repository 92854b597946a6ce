import Documents
import DurableFiles
import Foundation
import StoreInterface

extension ExchangeTurn {
  /// Sends the versions that the remote lacks.
  func push() throws {
    guard let folder = remote.folder else { return try pushToDocument() }
    let writer = PackWriter(document: document, remote: folder)
    guard known != nil else {
      let content = try document.content(ofVersion: document.manifest.number)
      defer { content.close() }
      let newest = try Remotes.Known(remote: exchange.name, head: document.head, of: content)
      let version = SharedVersion(
        content.version, of: document.head, identity: newest.identity, parents: [])
      try exchange.progress(.sending(document.versions.count))
      report.sentByteCount += try writer.write(whole: version)
      report.sent.append(version)
      return try record(newest)
    }
    let graph = graph
    guard let last = own.last else {
      let version = known.flatMap { graph.versions[$0.identity]?.deriving(from: mergedIntoKnown) }
      let bridges = try version.map(bridges) ?? []
      if !bridges.isEmpty {
        report.sentByteCount += try writer.write(bridges) { try graph.read(attachment: $0, $1) }
      }
      return
    }
    try exchange.progress(.sending(own.count))
    if let parts = try parts() {
      report.sentByteCount += try writer.write(parts) { try graph.read(attachment: $0, $1) }
    } else {
      // A migration that can't be inferred can only be sent with its result.
      let identities = Set(own.map(\.version.identity))
      let parents = own.flatMap(\.version.parents).filter { !identities.contains($0) }
      report.sentByteCount += try writer.write(
        whole: SharedVersion(
          last.known.version(in: document)!, of: document.head, identity: last.known.identity,
          parents: Set(parents).sorted()))
    }
    report.sent += own.map(\.version)
    try record(last.known)
  }

  /// Returns the versions that the remote lacks, with their changes; `nil` if the changes of a migration are not known.
  private func parts() throws -> [PackWriter.Part]? {
    var parts: [PackWriter.Part] = []
    for one in own {
      guard let changes = one.changes else { return nil }
      parts.append(
        PackWriter.Part(
          version: one.version, from: one.version.parents[0], changes: changes, model: one.model))
    }
    return try parts + own.flatMap { try bridges(to: $0.version) }
  }

  /// Lets the document that is the remote take in the versions that it lacks.
  private func pushToDocument() throws {
    // The document that is the remote receives only versions that it can follow.
    guard let last = own.last, report.conflicts.isEmpty, report.waiting.isEmpty else { return }
    let other = try Document.open(
      exchange.path, in: document.places, access: .shared, head: document.head)
    defer { try? other.close() }
    let theirs = known.flatMap { remote.source?.known($0.identity) }
    let turn = try ExchangeTurn(
      Exchange(other, receivingFrom: document, common: (theirs, known)))
    try turn.pull()
    guard turn.report.newerModel.isEmpty else {
      throw ExchangeError(
        .notSupported,
        "The document that is the remote '\(exchange.name)' has an older model, and was left as it is.",
        path: exchange.path,
        hint:
          "Let it take in the newer model: add this document as its remote with 'quire remote add', and run 'quire pull'."
      )
    }
    report.conflicts += turn.report.conflicts
    guard turn.report.conflicts.isEmpty, turn.report.waiting.isEmpty else { return }
    report.sent += own.map(\.version)
    try record(last.known)
  }

  /// Puts the contents of many small packs into one.
  func consolidate() throws {
    guard let folder = remote.folder else { return }
    let made = try Consolidation(document: document, remote: folder, graph: graph).run()
    report.consolidatedCount = made.count
    report.sentByteCount += made.byteCount
  }
}
