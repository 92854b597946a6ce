public import Foundation
package import JSONText
public import ObjectModel
public import Rows
public import StoreInterface

/// The contents of a head of a document, and the commit of each store that counts (spec §7.3).
///
/// A reader reads the manifest first. A commit becomes part of the document when the manifest names it, or when it is a
/// version in the log (``log``). The manifest of an open document contains the versions of the log.
public struct Manifest: Sendable, Hashable {
  /// The features that the document uses, and that this version of Quire does not know. Saves keep them.
  public package(set) var features: [FormatFeature] = []
  /// The document's UUID, which stays when the document moves.
  public var uuid: UUID
  /// The title of the document, or `nil` to use its file's name.
  public var title: String?
  /// The date at which the document was made.
  public var created: Date
  /// The application's metadata: texts by name.
  public var metadata: [String: String] = [:]
  /// The name of the document's current version of the model.
  public var model: String
  /// All versions of the model that the document has had and still needs.
  public var models: [ModelVersion]
  public var stores: [StoreEntry]
  /// The name of the store whose commits can be versions on their own; `nil` if there is no such store.
  public var log: String?
  /// The names of the heads besides `main`, in the manifest of `main` (spec §7.7).
  public package(set) var heads: [String] = []
  /// The name of the head whose manifest this is; `nil` for `main`.
  public package(set) var head: String?
  /// The attachments, including the attachments of earlier versions.
  public var attachments: [AttachmentEntry] = []
  /// The versions that can be opened, the oldest first. The last one is the newest state of the document.
  public var versions: [VersionEntry]
  /// Members that another program or a newer version has written. Saves keep them.
  package var others: [JSON.Member] = []

  /// The version of the format that is read and written.
  public static let formatVersion = 1
  /// The name of the manifest's file.
  public static let fileName = "manifest.json"

  /// The number of the newest version.
  public var number: Int64 { versions.last?.number ?? 0 }
  /// The date at which the document was saved last.
  public var saved: Date { versions.last?.saved ?? created }
  /// The names of all heads of the document, `main` first, if this is the manifest of `main`.
  package var headNames: [String] { [HeadName.main] + heads }
  /// The paths of the files of stores and attachments that the manifest names.
  package var files: [String] {
    stores.flatMap(\.files) + attachments.map { Container.attachmentFile($0.digest) }
  }
}

extension Manifest {
  /// A version of the model.
  public struct ModelVersion: Sendable, Hashable {
    public var name: String
    /// The path of the model's file, relative to the document.
    public var file: String
    /// The version hash of each entity.
    public var hashes: [String: VersionHash]
    package var others: [JSON.Member] = []
  }

  /// A store.
  public struct StoreEntry: Sendable, Hashable {
    /// The store's name, which is unique within the document.
    public var name: String
    /// The store's type, which determines its backend.
    public var type: StoreType
    /// The path of the store's file, relative to the document.
    public var file: String
    public var uuid: UUID
    /// The configuration whose entities the store holds, or `nil` if it holds all entities.
    public var configuration: String?
    /// The options of the backend, by name.
    public var options: [String: String] = [:]
    /// The store's commit in the newest version of the document.
    public var commit: Int64
    /// The files with earlier versions, the oldest first, of a store that has had several files.
    public var earlier: [EarlierFile] = []
    package var others: [JSON.Member] = []

    /// The paths of all files of the store: the file of its newest version first.
    package var files: [String] { [file] + earlier.map(\.file) }
  }

  /// A previous file of a store.
  public struct EarlierFile: Sendable, Hashable {
    /// The path of the file, relative to the document.
    public var file: String
    /// The last commit in the file that belongs to a version.
    public var commit: Int64
    /// The first version after those in this file.
    public var until: Int64
    /// The version of the model that the file was written with.
    public var model: String
    /// The store's UUID in this file, or `nil` if it is the store's present UUID.
    public var uuid: UUID?
    package var others: [JSON.Member] = []
  }

  /// A file in the document, and the versions that contain it.
  public struct AttachmentEntry: Sendable, Hashable {
    /// The name that the application has given to the attachment.
    public var name: String
    /// The SHA-256 of the attachment's bytes, which names its file in the document.
    public var digest: String
    /// The number of the attachment's bytes.
    public var byteCount: Int
    /// The first version that contains the attachment.
    public var since: Int64
    /// The first later version that does not contain the attachment, or `nil` if the newest version contains
    /// it.
    public var until: Int64?
    /// Whether the entry is the application's own content and no attachment
    /// (``DocumentHooks/additionalContent``).
    public var isContent = false
    package var others: [JSON.Member] = []

    /// Returns whether a version contains the attachment.
    public func isPart(of version: Int64) -> Bool {
      since <= version && version < until ?? .max
    }
  }

  /// A version: the state of the document after one save.
  public struct VersionEntry: Sendable, Hashable {
    /// The version's number, above the numbers of all earlier versions.
    public var number: Int64
    /// The date at which the version was saved.
    public var saved: Date
    /// The name of the version's model.
    public var model: String
    /// The name that a user has given to the version, or `nil`. A named version is kept until its name is
    /// removed.
    public var name: String?
    /// The author of the version, or `nil` if the save did not name one.
    public var author: String?
    /// The author's message about the changes of the version, or `nil`.
    public var message: String?
    /// The version to which undo returned, if undo made this version (``Document/undo(steps:author:message:)``).
    public var undoneTo: Int64?
    /// The versions of other heads that were merged into this version. Together with the version before it they are its
    /// parents.
    public var merged: [Int64] = []
    /// The identities of versions of other replicas whose changes this version has taken in (spec §7.4.12).
    public package(set) var received: [String] = []
    package var others: [JSON.Member] = []
  }
}
