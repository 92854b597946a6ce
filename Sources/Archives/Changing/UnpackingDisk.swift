package import DurableFiles
import Synchronization

/// A disk on which a packed document becomes a folder as soon as a program begins to change it.
///
///     let disk = UnpackingDisk(RealDisk())
///     let document = try Document.open("Trip.quire.zip", in: StorePlaces(backends, on: disk))
///     …
///     try disk.commit()
///     …
///     try disk.finish()
///
/// The folder lies beside the packed document, with a temporary name. Every path that leads into the packed document leads
/// into the folder then, so code that changes documents works on packed ones without a change, and its errors name the
/// packed document. ``commit()`` packs the folder and replaces the packed document in one step.
///
/// Use a ``PackedDisk`` to read: it unpacks nothing. All other paths are those of the disk below.
package final class UnpackingDisk: Disk {
  private let base: any Disk
  private let unpacking: UnpackingCalls
  private let files: OpenFiles
  private let edits = Mutex<[PackedEdit]>([])

  /// Creates a disk on which no document is unpacked yet.
  package init(_ base: any Disk, _ files: OpenFiles = OpenFiles()) {
    self.base = base
    self.files = files
    unpacking = UnpackingCalls(base.calls)
  }

  package var calls: any DiskCalls { unpacking }

  /// Unpacks a packed document, and holds its lock until ``finish()``.
  ///
  /// - Parameter patience: The longest time to wait for another process that changes the packed document.
  /// - Throws: `DiskError` with code `locked` if that process goes on; other errors of the disk; ``ArchiveError``.
  package func unpack(_ path: String, waiting patience: Duration) throws {
    let edit = try PackedEdit(path, on: base, files, waiting: patience)
    edits.withLock { $0.append(edit) }
    unpacking.lead(path, to: edit.folder, placeNumber: edit.placeNumber)
  }

  /// Replaces each packed document whose contents have changed. The changes are durable then.
  ///
  /// - Throws: ``ArchiveError`` with code `changed` if another program has changed the packed document meanwhile; `DiskError`.
  package func commit() throws {
    for edit in edits.withLock({ $0 }) { try edit.commit() }
  }

  /// Commits, removes the folders, and releases the locks. Changes that a ``commit()`` has failed to write are given up.
  ///
  /// - Throws: The first error. All folders are removed in any case.
  package func finish() throws {
    var first: (any Error)?
    for edit in edits.withLock({ $0 }) {
      do { try edit.finish() } catch { first = first ?? error }
    }
    abandon()
    if let first { throw first }
  }

  /// Removes the folders and releases the locks. Changes since the last ``commit()`` are given up.
  package func abandon() {
    let all = edits.withLock { edits in
      defer { edits = [] }
      return edits
    }
    for edit in all { edit.abandon() }
    unpacking.leadNowhere()
  }
}
