import DurableFiles

/// The current head, which opens if a caller names no head (spec §7.7.10).
extension Container {
  /// The file with the name of the current head. Without the file, `main` is current.
  package static let currentHeadFile = "\(headsFolder)/current"

  /// The name of the current head. The document may have lost the head.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noHead`` if the file contains no name.
  package var currentHead: String {
    get throws {
      try reading {
        let file: DurableFile
        do {
          file = try disk.open(
            inner(Container.currentHeadFile), for: .read, links: .refusedBelow(path))
        } catch let error as DiskError
          where error.code == .notFound || error.code == .notADirectory
        {
          return HeadName.main
        }
        let byteCount = try min(file.byteCount(), HeadName.lengthLimit + 2)
        let text = String(decoding: try file.read(byteCount: byteCount, at: 0), as: UTF8.self)
        let name = String(text.dropLast())
        guard text.last == "\n", name == HeadName.main || HeadName.objection(to: name) == nil else {
          throw DocumentError(
            .noHead, "The file \(Container.currentHeadFile) contains no name of a head.", path: path
          )
        }
        return name
      }
    }
  }

  /// Makes a head current.
  func writeCurrentHead(_ name: String) throws {
    try reading {
      try makeHeadsFolder()
      try disk.replace(inner(Container.currentHeadFile), links: .refused) { writer in
        try writer.write(name + "\n")
      }
    }
  }
}

extension DocumentHeads {
  /// The name of the current head, which opens if a caller names no head. It is `main` in a new document.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noHead`` if the file with the name is damaged.
  public var current: String {
    get throws { try document.container.currentHead }
  }

  /// Makes a head current. Documents that are open stay on their heads.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noHead`` if the head does not exist; the errors of a save.
  public func makeCurrent(_ name: String) throws {
    try document.withExclusiveAccess {
      let container = document.container
      if name != HeadName.main { _ = try container.mainManifest(naming: name) }
      if (try? container.currentHead) != name { try container.writeCurrentHead(name) }
    }
  }
}
