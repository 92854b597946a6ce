import Documents
import DurableFiles
import Foundation
import StoreInterface

extension ContainerCheck {
  /// Reads the manifests of the heads that the manifest of `main` names (spec §7.7.2).
  ///
  /// - Returns: The manifests that can be read.
  func readHeads(_ main: ManifestCheck) throws -> [ManifestCheck] {
    try main.heads.compactMap { name in
      let file = Container.manifestFile(ofHead: name)
      guard try isThere(file, orElse: .headManifest), let bytes = try bytes(ofManifest: file) else {
        return nil
      }
      let found = Findings()
      let head = ManifestCheck(bytes, of: file, found)
      guard head.isDocument else {
        findings.add(.headManifest, place(file), "This is not the manifest of a head.")
        return nil
      }
      let isNamed = head.head == name || head.head == nil && found.errorCount > 0
      guard isNamed, head.uuid == nil || head.uuid == main.uuid else {
        findings.add(
          .headManifest, place(file),
          "This is the manifest of the head \"\(head.head ?? HeadName.main)\" of the document "
            + "\(head.uuid?.uuidString ?? "without a UUID").")
        return nil
      }
      findings.take(found, of: file)
      if head.isNewer { return nil }
      return head
    }
  }

  /// Checks that the file with the name of the current head names a head (spec §7.7.10).
  func checkCurrentHead(_ manifest: ManifestCheck) throws {
    let file = Container.currentHeadFile
    guard let kind = try kind(file) else { return }
    guard kind == .file else {
      findings.add(.currentHead, place(file), "This path is a \(kind).")
      return
    }
    let opened = try open(file)
    let byteCount = try min(opened.byteCount(), HeadName.lengthLimit + 2)
    let text = String(decoding: try opened.read(byteCount: byteCount, at: 0), as: UTF8.self)
    if manifest.isSound, !([HeadName.main] + manifest.heads).contains(where: { text == $0 + "\n" })
    {
      findings.add(.currentHead, place(file), "The file does not contain the name of a head.")
    }
  }

  /// Checks that heads with one version agree about it, and that no two heads write to one file (spec §7.7.3, §7.7.4).
  func checkAgreement(_ heads: [ManifestCheck]) {
    var versions: [Int64: [String?]] = [:]
    var files: [String: ManifestCheck] = [:]
    for head in heads where head.isSound {
      for (number, description) in head.list.descriptions.sorted(by: { $0.key < $1.key }) {
        guard versions.updateValue(description, forKey: number) ?? description != description else {
          continue
        }
        findings.add(
          .headVersion, place(head.file),
          "Version \(number) has another date, model, author or message than in another head.")
      }
      for case let file? in head.stores.map(\.file) {
        guard files.updateValue(head, forKey: ContainerPath.folded(file)) != nil else { continue }
        findings.add(
          .headFile, place(head.file),
          "The file \(file) is the file of a store in another head too.")
      }
    }
    for head in heads {
      for case let file? in head.stores.flatMap({ $0.earlier.map(\.file) }) {
        guard let other = files[ContainerPath.folded(file)], other !== head else { continue }
        findings.add(
          .headFile, place(head.file),
          "The file \(file) is an earlier file here, but another head writes to it.")
      }
    }
  }
}
