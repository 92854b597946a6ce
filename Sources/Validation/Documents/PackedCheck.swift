import Archives
import Documents
import DurableFiles
import ObjectModel
import StoreInterface

/// The check of a packed document (spec §8): the archive, the bytes of all entries, and then the document within the
/// archive.
final class PackedCheck {
  private let path: String
  private let disk: any Disk
  private let backends: StoreBackends
  private let givenModel: Model?
  private let progress: (Double) -> Void

  init(
    _ path: String, on disk: any Disk, _ backends: StoreBackends, model: Model?,
    progress: @escaping (Double) -> Void
  ) {
    self.path = path
    self.disk = disk
    self.backends = backends
    givenModel = model
    self.progress = progress
  }

  /// Checks the whole archive and its document.
  func run() throws -> ValidationReport {
    let findings = Findings()
    var passedOver: [String] = []
    var damaged = false
    do {
      let archive = try Archive(path, on: disk)
      for entry in archive.entries where !entry.isDirectory {
        do { try archive.read(entry) { _ in } } catch let error as ArchiveError {
          damaged = true
          var place = Place()
          place.file = entry.path
          findings.add(.packedBytes, place, error.message)
        }
      }
      if !damaged {
        let check = ContainerCheck(
          path, on: PackedDisk(archive), backends, model: givenModel, progress: progress)
        try check.run()
        return check.report
      }
      passedOver.append("The document was not checked, since not all of it can be unpacked.")
    } catch let error as ArchiveError {
      findings.add(.archiveForm, Place(), error.message)
    }
    return ValidationReport(
      path: path, format: .document, findings: findings, passedOver: passedOver)
  }
}
