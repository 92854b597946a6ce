public import Comparison
public import Documents
import DurableFiles
import Foundation
public import ObjectGraph
import StoreInterface

/// The exchange of versions between a document and a remote: a plain folder that any program may carry from device to device.
///
///     let exchange = try Exchange(document, with: "origin")
///     let report = try exchange.sync()
///     for conflict in report.conflicts { print(conflict.reasons) }
///
/// A remote contains packs, each with versions and their changes. No pack is ever changed, so no lock is needed, and two devices
/// may send at the same time. A pack that is cut, damaged or not there yet stops nothing: it is left out, and named in the
/// report.
///
/// An exchange never migrates the open document. Versions of a newer model wait, and the report names them: see
/// ``migrate(_:head:with:by:in:whenHeld:)``.
///
/// The exchange is about the open head, and about the head of the same name on each device. Open the document with shared
/// access: a version in conflict is kept as a separate head, which the exchange opens beside the document.
public struct Exchange {
  public let document: Document
  /// The name of the remote.
  public let name: String
  /// The path of the remote's folder.
  public let path: String
  /// The signatures that packs need; `nil` if packs need not be signed.
  let signing: Exchange.Signing?

  /// Chooses a remote of a document.
  ///
  /// - Parameter name: The name of the remote; `nil` for the only one, or for `origin`.
  /// - Throws: ``ExchangeError`` with code ``ExchangeError/Code/noRemote``; `DocumentError`.
  public init(_ document: Document, with name: String? = nil) throws {
    let remotes = try document.remotes.remotes
    let wanted = name ?? (remotes.count == 1 ? remotes[0].name : "origin")
    guard let remote = remotes.first(where: { $0.name == wanted }) else {
      throw ExchangeError(
        .noRemote,
        remotes.isEmpty
          ? "The document has no remote."
          : "The document has no remote '\(wanted)'. It has: \(remotes.map(\.name).joined(separator: ", ")).",
        path: document.path, hint: "Add one: quire remote add \(document.path) \(wanted) FOLDER")
    }
    (self.document, self.name, common) = (document, wanted, nil)
    signing = remote.signing.map { Exchange.Signing(key: $0.key, signers: $0.signers) }
    path =
      remote.path.hasPrefix("/") ? remote.path : document.path.appendingPathComponent(remote.path)
  }

  /// Returns the side that wins each conflict with a version; `nil` to leave the version in conflict, as without a choice.
  public var choose:
    (_ version: SharedVersion, _ conflicts: [Merge.Conflict]) throws -> [MergeSide]? = { _, _ in
      nil
    }

  /// The author of a version that decides conflicts. A merge without a decision has no author, so that it is one version on all devices.
  public var author: String?
  /// A message about the decisions, for people.
  public var message: String?
  /// Called before a step that takes time. An error that it throws ends the exchange between two versions.
  public var progress: (Exchange.Progress) throws -> Void = { _ in }

  /// A version that a document and its remote have, with the number of each; `nil` if it is looked up.
  let common: (own: Remotes.Known?, theirs: Remotes.Known?)?

  /// The exchange by which the document that is a remote takes in the versions of its sender.
  init(
    _ document: Document, receivingFrom sender: Document,
    common: (own: Remotes.Known?, theirs: Remotes.Known?)
  ) {
    (self.document, name, path) = (document, "sender", sender.path)
    (self.common, signing) = (common, nil)
  }

  /// Throws ``ExchangeError`` with code ``ExchangeError/Code/notSupported`` if the document can't be exchanged.
  func checkDocument() throws {
    if let objection = Exchange.objection(to: document) {
      throw ExchangeError(.notSupported, objection, path: document.path)
    }
  }

  private static func objection(to document: Document) -> String? {
    if document.manifest.attachments.contains(where: { $0.isContent && $0.until == nil }) {
      return
        "The document contains content of its application besides objects and attachments, which can't be exchanged."
    }
    if let store = document.stores.first(where: \.isOnServer) {
      return "The store '\(store.name)' is on a server. Its users share it already."
    }
    return nil
  }
}
