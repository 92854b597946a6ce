public import Foundation
package import JSONText
public import ObjectModel
public import StoreInterface

/// What a document says of itself, and which state of each of its parts counts (spec §7.3).
///
/// It is what is read first and what is replaced last: whatever a save has written counts once the manifest
/// names it.
public struct Manifest: Sendable, Hashable {
  /// The document's identifier, which stays when it moves.
  public var uuid: UUID
  /// What people call the document; its file's name when this is `nil`.
  public var title: String?
  /// When the document was made.
  public var created: Date
  /// What the application says of the document: texts by name.
  public var metadata: [String: String] = [:]
  /// The name of the version of the model that the document is of.
  public var model: String
  /// The versions of the model that the document has been of.
  public var models: [ModelVersion]
  /// The stores.
  public var stores: [StoreEntry]
  /// The attachments, those of earlier versions included.
  public var attachments: [AttachmentEntry] = []
  /// The versions that can be gone back to, the oldest first. The last one is what the document is.
  public var versions: [VersionEntry]
  /// What a newer or another program has written there. It is kept.
  package var others: [JSON.Member] = []

  /// The version of the format that is written, and the newest that is read.
  public static let formatVersion = 1
  /// What the manifest's file is called.
  public static let fileName = "manifest.json"

  /// The number of the newest version.
  public var number: Int64 { versions.last?.number ?? 0 }
  /// When the document was saved last.
  public var saved: Date { versions.last?.saved ?? created }
}

extension Manifest {
  /// A version of the model.
  public struct ModelVersion: Sendable, Hashable {
    /// The version's name.
    public var name: String
    /// The file that holds it, within the document.
    public var file: String
    /// The version hash of each entity.
    public var hashes: [String: VersionHash]
    package var others: [JSON.Member] = []
  }

  /// A store.
  public struct StoreEntry: Sendable, Hashable {
    /// The store's name, which no other store of the document has.
    public var name: String
    /// The store's type, by which its backend is found.
    public var type: StoreType
    /// The file, within the document.
    public var file: String
    /// The store's identifier.
    public var uuid: UUID
    /// The configuration whose entities it is for; all when it is `nil`.
    public var configuration: String?
    /// What the backend is told: texts by name.
    public var options: [String: String] = [:]
    /// The commit that counts.
    public var commit: Int64
    /// The files that hold earlier versions, the oldest first, of a store that has a file for each.
    public var earlier: [EarlierFile] = []
    package var others: [JSON.Member] = []
  }

  /// The file that held a store before.
  public struct EarlierFile: Sendable, Hashable {
    /// The file, within the document.
    public var file: String
    /// The last commit of it that counted.
    public var commit: Int64
    /// The first version that the store is not in it any more.
    public var until: Int64
    /// The version of the model that it was written with.
    public var model: String
    /// The store's identifier then, where it was another.
    public var uuid: UUID?
    package var others: [JSON.Member] = []
  }

  /// A file in the document, as some versions have it.
  public struct AttachmentEntry: Sendable, Hashable {
    /// The name, by which the application knows it.
    public var name: String
    /// The SHA-256 of its bytes, by which it is known in the document.
    public var digest: String
    /// How many bytes it has.
    public var byteCount: Int
    /// The first version that has it.
    public var since: Int64
    /// The first version that has it no more; `nil` while it is there.
    public var until: Int64?
    /// Whether it is the application's own content and no attachment
    /// (``DocumentHooks/additionalContent``).
    public var isContent = false
    package var others: [JSON.Member] = []

    /// Whether a version has it.
    public func isPart(of version: Int64) -> Bool {
      since <= version && version < until ?? .max
    }
  }

  /// A version: what one save has made of the document.
  public struct VersionEntry: Sendable, Hashable {
    /// The version's number, above all before.
    public var number: Int64
    /// When it was saved.
    public var saved: Date
    /// The version of the model that it is of.
    public var model: String
    /// What somebody calls it; such a version is kept until somebody says otherwise.
    public var name: String?
    /// Who saved it, if anybody said so.
    public var author: String?
    package var others: [JSON.Member] = []
  }
}
