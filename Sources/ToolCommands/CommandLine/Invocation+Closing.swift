import CommandInterface
import StoreInterface

extension Invocation {
  /// Closes a store after the command has saved to it.
  ///
  /// A save counts even if the close fails, for example because the disk is full when a database's log is moved into its file.
  /// After a save, an error is therefore only a note. A script that took the error for a failed save would save twice.
  func close(_ store: any Store, saved: Bool) throws {
    do { try store.close() } catch {
      guard saved else { throw error }
      let error = CommandError(explaining: error)
      try console.messages.writeLine("note: The change is saved. \(printable(error.message))")
    }
  }
}
