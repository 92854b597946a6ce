import DurableFiles

/// A place with versions and their changes: a pack, or a document.
protocol ChangeSource: AnyObject, Sendable {
  /// The path of the file, or of the document.
  var path: String { get }
  var versions: [PackedVersion] { get }

  /// Returns the changes of a version.
  ///
  /// - Throws: ``PackFault`` if the file is damaged, `DiskError`.
  func changes(of version: PackedVersion) throws -> ChangeBook
  /// Returns the model of a version that differs from the model of the version before it; `nil` for any other version.
  ///
  /// - Throws: ``PackFault`` if the file is damaged, `DiskError`.
  func model(of version: PackedVersion) throws -> SharedModel?
  /// Whether the bytes of an attachment are here.
  func contains(attachment digest: String) -> Bool
  /// Checks all bytes, so that a damaged one is found before the first is used.
  ///
  /// - Throws: ``PackFault`` if the file is damaged, `DiskError`.
  func verify() throws
  /// Passes on the bytes of an attachment.
  func read(attachment digest: String, _ write: ([UInt8]) throws -> Void) throws
}

extension Pack: ChangeSource {}
