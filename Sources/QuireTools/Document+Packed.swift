import Archives
public import Documents
import DurableFiles
public import StoreInterface

extension Document {
  /// Changes a packed document: unpacks it beside its file, calls `body` with the document, and replaces the file.
  ///
  ///     try Document.update(packed: "Trips.quire.zip", in: .builtIn) { document in
  ///       try document.undo()
  ///     }
  ///
  /// The file is replaced in one step when `body` returns, and keeps its bytes if nothing has changed. Other programs read the
  /// old file until then, and another call for the same file waits. The cost is that of reading and writing the whole file, so
  /// make many changes in one call, or keep a document that often changes as a folder.
  ///
  /// - Parameters:
  ///   - places: The backends that open stores, and the disk.
  ///   - patience: The longest time to wait while another program changes the same file.
  ///   - body: Changes the document, which is closed afterwards.
  /// - Throws: `ArchiveError` with code `changed` if a program that does not know the lock has written to the file meanwhile;
  ///   ``DocumentError`` with code ``DocumentError/Code/locked``; the errors of opening, and of `body`. The file is
  ///   unchanged then.
  @discardableResult
  public static func update<R>(
    packed path: String, in places: StorePlaces, waiting patience: Duration = .seconds(5),
    _ body: (Document) throws -> R
  ) throws -> R {
    let disk = UnpackingDisk(places.disk)
    let result: R
    do {
      let document = try Document.open(
        path, in: StorePlaces(places.backends, on: disk), whenHeld: .wait(patience))
      defer { try? document.close() }
      result = try body(document)
      try document.close()
    } catch {
      disk.abandon()
      throw error
    }
    try disk.finish()
    return result
  }
}
