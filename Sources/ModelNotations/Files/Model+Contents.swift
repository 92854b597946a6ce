package import ObjectModel

extension Model {
  private static let recentlyRead = RecentlyRead<Model>(mostBytes: 1 << 20)

  /// Reads the model of a store or document, in the `contents` form. The last models are not parsed again.
  ///
  /// - Parameter path: The name of the file in messages.
  /// - Throws: ``ModelFileError`` or `ModelError`.
  package init(contents bytes: [UInt8], path: String) throws {
    self = try Self.recentlyRead.part(bytes) { try Model(ModelSource.read($0, path: path)) }
  }
}
