import DurableFiles
import Foundation

/// A plain folder with packs, which anything may carry: a sync folder, a stick, a share (spec §16.1).
///
/// No file is ever changed, and no lock is needed. A file that is not a whole pack is left out.
struct FolderRemote {
  let path: String
  let disk: any Disk
  /// The signatures that packs need; `nil` if packs need not be signed.
  let signing: Exchange.Signing?
  /// The packs of the document, in the order of their names.
  let packs: [Pack]
  /// The files that were left out.
  let skipped: [ExchangeReport.SkippedFile]

  /// Reads the headers of all packs.
  ///
  /// - Parameters:
  ///   - stores: The UUIDs of the document's stores; `nil` for packs of any document.
  ///   - signing: The signatures that packs need; `nil` if packs need not be signed.
  /// - Throws: `DiskError` if the folder can't be listed.
  init(
    _ path: String, stores: [String]?, signing: Exchange.Signing? = nil, on disk: any Disk
  ) throws {
    (self.path, self.disk, self.signing) = (path, disk, signing)
    var packs: [Pack] = []
    var skipped: [ExchangeReport.SkippedFile] = []
    for entry in try disk.list(path).sorted(by: { $0.name < $1.name })
    where entry.name.contains(PackFormat.suffix.dropFirst()) && !entry.name.hasPrefix(".")
      && !entry.name.hasSuffix(Exchange.Signing.suffix)
    {
      do {
        guard PackFormat.digest(inName: entry.name) != nil else {
          throw PackFault("has another name than a pack: a digest and \(PackFormat.suffix).")
        }
        let place = path.appendingPathComponent(entry.name)
        try signing?.check(place, on: disk)
        let pack = try Pack(place, on: disk)
        guard stores == nil || pack.stores == stores else {
          throw PackFault("belongs to another document.")
        }
        packs.append(pack)
      } catch let fault as PackFault {
        skipped.append(ExchangeReport.SkippedFile(name: entry.name, reason: fault.reason))
      } catch let error as DiskError where error.code == .notFound {
        continue
      } catch let error as DiskError {
        skipped.append(
          ExchangeReport.SkippedFile(name: entry.name, reason: "can't be read: \(error.message)"))
      }
    }
    (self.packs, self.skipped) = (packs, skipped)
  }
}
