package import DurableFiles

/// The files that a program still has open when an ``UnpackingDisk`` packs them.
package struct OpenFiles: Sendable {
  /// Returns the bytes that the file would have if the program had closed it (``FolderPacking/completion``).
  package var completion: @Sendable (DurableFile) -> FolderPacking.Completion? = { _ in nil }
  /// Returns the number of first bytes that may change when the program closes the file, while the contents stay.
  package var changedByClosing: @Sendable (DurableFile) -> Int = { _ in 0 }

  package init() {}
}
