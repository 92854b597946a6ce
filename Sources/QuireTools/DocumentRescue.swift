import Archives
import Documents
package import DurableFiles
package import ObjectModel
package import Recovery
package import StoreInterface

/// The recovery of the readable objects and attachments of a damaged document into a new document.
package final class DocumentRescue {
  /// A loss that is found before the new document is written.
  package enum Finding {
    /// The manifest can't be read, or contradicts its checksum.
    case manifest(any Error, isReadable: Bool)
    /// The document has further heads, which stay in the damaged document.
    case heads([String])
    /// A store lies on a server.
    case storeOnServer(name: String, address: String?)
    /// Nothing of a store can be read.
    case lostStore(name: String, RecoveryError)
  }

  /// The losses that the manifest shows.
  package let findings: [Finding]
  /// The reports on the stores, by their names. A store has its report after it is written.
  package private(set) var reports: [String: RecoveryReport] = [:]
  /// Whether nothing is lost, as far as the document was read and written.
  package private(set) var isComplete: Bool
  /// Whether no store can be read.
  package var isEmpty: Bool { rescued.isEmpty }

  private let remains: DocumentRemains
  private let disk: any Disk
  private var rescued: [RescuedStore] = []
  private var copyProgress: (StoreCopy.Progress) throws -> Void = { _ in }

  /// Reads what is left of the manifest.
  ///
  /// - Parameters:
  ///   - path: A document's folder, or a packed document.
  ///   - head: The head to recover.
  package init(of path: String, head: String, on disk: any Disk) throws {
    // The stores of a packed document are read inside the archive, without a check of the archive's checksums.
    let isPacked = try disk.status(of: path).kind == .file
    self.disk = isPacked ? PackedDisk(try Archive(path, on: disk)) : disk
    remains = try DocumentRemains(path, on: self.disk, head: head)
    let heads = head == HeadName.main ? remains.otherHeads : []
    var findings: [Finding] = []
    if let fault = remains.fault {
      findings.append(.manifest(fault, isReadable: remains.manifest != nil))
    }
    if !heads.isEmpty { findings.append(.heads(heads)) }
    self.findings = findings
    isComplete = findings.isEmpty
  }

  /// Reads the recoverable objects of all stores.
  ///
  /// - Parameters:
  ///   - model: The model of the stores; `nil` for the model of the document.
  ///   - keepsInvalid: Whether objects without required values are kept.
  ///   - progress: Called with the finished share of a store, from 0 to 1.
  ///   - note: Called with each loss of a whole store.
  package func read(
    model: Model?, keepsInvalid: Bool, progress: (Double) -> Void = { _ in },
    note: (Finding) throws -> Void
  ) throws {
    for (number, found) in remains.stores.enumerated() {
      let name = found.entry?.name ?? "store \(number + 1)"
      if Container.isAddressFile(found.path) {
        isComplete = false
        try note(
          .storeOnServer(name: name, address: try? Container.address(in: found.path, on: disk)))
        continue
      }
      let recovery: StoreRecovery
      do {
        recovery = try StoreRecovery(
          of: found.path, on: disk, model: model ?? remains.model, keepsInvalid: keepsInvalid,
          progress: progress)
      } catch let error as RecoveryError {
        isComplete = false
        try note(.lostStore(name: name, error))
        continue
      }
      let metadata = try recovery.snapshot.metadata
      rescued.append(
        RescuedStore(
          name: name, type: found.entry?.type ?? metadata.type ?? .binary,
          configuration: found.entry?.configuration, creation: recovery.creation,
          model: try recovery.snapshot.model
        ) { [unowned self] store in
          reports[name] = try recovery.copy(to: store, copyProgress)
        })
    }
  }

  /// Writes the new document.
  ///
  /// - Returns: The names of the lost attachments.
  package func write(
    to path: String, overwriting: Bool, in places: StorePlaces,
    progress: @escaping (StoreCopy.Progress) throws -> Void = { _ in }
  ) throws -> [String] {
    copyProgress = progress
    let lost = try remains.rebuild(at: path, rescued, overwriting: overwriting, in: places)
    isComplete = isComplete && lost.isEmpty && reports.values.allSatisfy(\.isComplete)
    return lost
  }
}
