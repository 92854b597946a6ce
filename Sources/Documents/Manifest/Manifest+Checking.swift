import Foundation
package import StoreInterface

extension Manifest {
  /// Throws an error if a reader must reject the manifest: for its names, or for a contradiction between its
  /// parts (spec §7.3.4 to §7.3.7). A save calls this too, so that no document is saved that can't be opened.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/damaged``.
  func check(path: String) throws(DocumentError) {
    let fault = Fault(path: path)
    try checkNames(fault)
    try checkFiles(fault)
    guard let newest = versions.last else { throw fault("versions", "is empty.") }
    for (one, next) in zip(versions, versions.dropFirst()) where one.number >= next.number {
      throw fault("versions", "contains \(next.number) after \(one.number).")
    }
    for (index, one) in versions.enumerated() {
      for (name, numbers) in [
        ("undoneTo", one.undoneTo.map { [$0] } ?? []), ("merged", one.merged),
      ] {
        guard let later = numbers.first(where: { $0 >= one.number }) else { continue }
        throw fault("versions[\(index)].\(name)", "is \(later), which is not an earlier version.")
      }
      try fault.unique(one.merged.map(String.init), "versions[\(index)].merged")
      try fault.unique(one.received, "versions[\(index)].received")
    }
    for (index, store) in stores.enumerated() {
      try check(store, "stores[\(index)]", newest: newest.number, fault)
    }
    try checkAttachments(newest: newest.number, fault)
    try checkLog(fault)
    try checkHeads(fault)
  }

  /// Checks the names of heads, and that only the manifest of `main` lists them (spec §7.7.2).
  private func checkHeads(_ fault: Fault) throws(DocumentError) {
    for name in heads + [head].compactMap({ $0 }) {
      guard let objection = HeadName.objection(to: name) else { continue }
      throw fault("heads", "contains \"\(name.prefix(100))\", which \(objection).")
    }
    try fault.unique(heads.map(ContainerPath.folded), "heads")
    if head != nil, !heads.isEmpty {
      throw fault("heads", "is in the manifest of a head besides \"main\".")
    }
  }

  /// Checks that the log is a store in a block file.
  private func checkLog(_ fault: Fault) throws(DocumentError) {
    guard let log else { return }
    guard let store = storeOfLog else {
      throw fault("log", "is \"\(log)\", which is not the name of a store.")
    }
    guard Manifest.typesOfLogs.contains(store.type) else {
      throw fault("log", "is \"\(log)\", a store of the type \"\(store.type.rawValue)\".")
    }
  }

  /// The store that is the log; `nil` if no store is.
  var storeOfLog: StoreEntry? { stores.first { $0.name == log } }

  /// The types of stores whose commits can be versions on their own.
  package static let typesOfLogs: Set<StoreType> = [.binary, .compressed]

  /// Makes an error of a place and a reason.
  private struct Fault {
    let path: String

    func callAsFunction(_ place: String, _ reason: String) -> DocumentError {
      DocumentError(.damaged, "\(place) \(reason)", path: path)
    }

    func unique(_ names: [String], _ place: String) throws(DocumentError) {
      var seen: Set<String> = []
      for name in names where !seen.insert(name).inserted {
        throw self(place, "contains \"\(name)\" twice.")
      }
    }

    func name(_ name: String, _ place: String, byteLimit: Int) throws(DocumentError) {
      guard !name.isEmpty, name.utf8.count <= byteLimit else {
        throw self(place, "contains a name that is empty, or longer than \(byteLimit) bytes.")
      }
    }
  }

  private func checkNames(_ fault: Fault) throws(DocumentError) {
    for name in models.map(\.name) {
      try fault.name(name, "models", byteLimit: Manifest.nameByteLimit)
    }
    for name in stores.map(\.name) {
      try fault.name(name, "stores", byteLimit: Manifest.nameByteLimit)
    }
    try fault.unique(models.map(\.name), "models")
    try fault.unique(stores.map(\.name), "stores")
    try fault.unique(stores.map(\.uuid.uuidString), "stores")
    guard !stores.isEmpty else { throw fault("stores", "is empty.") }
    let known = Set(models.map(\.name))
    let used =
      [model] + versions.map(\.model) + stores.flatMap { $0.earlier.map(\.model) }
    for name in used where !known.contains(name) {
      throw fault("models", "does not contain the version \"\(name)\", which the manifest uses.")
    }
  }

  private func checkFiles(_ fault: Fault) throws(DocumentError) {
    let stored = stores.flatMap(\.files)
    for file in models.map(\.file) {
      if let reason = ContainerPath.objection(to: file, in: Container.modelsFolder) {
        throw fault("models", "contains a file whose path \(reason)")
      }
    }
    for file in stored {
      if let reason = ContainerPath.objection(to: file, in: Container.storesFolder) {
        throw fault("stores", "contains a file whose path \(reason)")
      }
    }
    try fault.unique((models.map(\.file) + stored).map(ContainerPath.folded), "files")
  }

  /// Checks a store: each of its files begins at or after the version at which the previous file ends.
  private func check(
    _ store: StoreEntry, _ place: String, newest: Int64, _ fault: Fault
  ) throws(DocumentError) {
    guard store.commit <= newest else {
      throw fault(place, "is at commit \(store.commit), which is after the newest version.")
    }
    var since: Int64 = 1
    for one in store.earlier {
      guard since <= one.commit, one.commit < one.until else {
        throw fault("\(place).earlier", "contains commit \(one.commit) out of order.")
      }
      since = one.until
    }
    guard since <= store.commit else {
      throw fault("\(place).earlier", "ends at \(since), which is after the store's commit.")
    }
  }

  /// Checks the attachments: their sizes, and that no two of one name exist at the same version.
  private func checkAttachments(newest: Int64, _ fault: Fault) throws(DocumentError) {
    var byteCounts: [String: Int] = [:]
    for (index, one) in attachments.enumerated() {
      let place = "attachments[\(index)]"
      try fault.name(one.name, place, byteLimit: Manifest.attachmentNameByteLimit)
      guard one.since < one.until ?? .max else { throw fault(place, "ends before it begins.") }
      guard max(one.since, one.until ?? 0) <= newest else {
        throw fault(place, "begins or ends after the newest version.")
      }
      let known = byteCounts.updateValue(one.byteCount, forKey: one.digest)
      guard known ?? one.byteCount == one.byteCount else {
        throw fault(place, "differs in size from an attachment with the same digest.")
      }
    }
    struct Name: Hashable {
      var name: String
      var isContent: Bool
    }
    // In the order of first versions, each attachment must end before the next attachment of the same name begins.
    var ends: [Name: Int64] = [:]
    let inOrder = attachments.enumerated().sorted {
      ($0.element.since, $0.offset) < ($1.element.since, $1.offset)
    }
    for (index, one) in inOrder {
      let end = ends.updateValue(
        one.until ?? .max, forKey: Name(name: one.name, isContent: one.isContent))
      guard end ?? 0 <= one.since else {
        throw fault("attachments[\(index)]", "exists twice in the same version: \"\(one.name)\".")
      }
    }
  }
}
