import Foundation

extension ModelClasses {
  /// The changes to a folder.
  public struct FolderChange: Sendable, Hashable {
    /// The names of the files that were written.
    public var written: [String] = []
    /// The names of the files that were removed.
    public var removed: [String] = []

    public init() {}
  }

  /// Writes each file into the folder, and creates the folder if it is missing. Generated files of this model that
  /// are obsolete, because an entity was removed or renamed, are deleted.
  ///
  /// A file with the right contents stays untouched, so that builds do not compile it again. Files without the
  /// heading comment of this model stay.
  ///
  /// - Parameter replacingForeignFiles: Whether a file that Quire did not write, and that has the name of a new one,
  ///   is replaced.
  /// - Throws: ``ModelCodeError`` that names the file, with code ``ModelCodeError/Code/foreignFile`` for a foreign
  ///   file that is not replaced. No file is written then.
  @discardableResult
  public func write(
    to folder: String, replacingForeignFiles: Bool = false
  ) throws(ModelCodeError) -> FolderChange {
    var change = FolderChange()
    if !replacingForeignFiles { try refuseForeignFiles(in: folder) }
    for file in files where try Self.write(file.text, to: folder, file.name) {
      change.written.append(file.name)
    }
    let names = Set(files.map(\.name))
    let there = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in there.sorted() where name.hasSuffix(".swift") && !names.contains(name) {
      let file = URL(fileURLWithPath: folder, isDirectory: true).appendingPathComponent(name)
      guard isMadeOfThisModel(file) else { continue }
      do { try FileManager.default.removeItem(at: file) } catch {
        throw ModelCodeError(
          code: .notWritten, message: "The file \(file.path) can't be removed: \(error)")
      }
      change.removed.append(name)
    }
    return change
  }

  private func refuseForeignFiles(in folder: String) throws(ModelCodeError) {
    for file in files {
      let path = URL(fileURLWithPath: folder, isDirectory: true).appendingPathComponent(file.name)
      guard let there = FileManager.default.contents(atPath: path.path) else { continue }
      let start = String(decoding: there.prefix(4096), as: UTF8.self)
      guard !there.isEmpty, there != Data(file.text.utf8), !CodeFile.isHeading(start) else {
        continue
      }
      throw ModelCodeError(
        code: .foreignFile,
        message: "The file \(path.path) exists already, and Quire did not write it.")
    }
  }

  /// Whether a file begins with the heading of generated files of this model, in any version.
  private func isMadeOfThisModel(_ file: URL) -> Bool {
    guard let handle = try? FileHandle(forReadingFrom: file) else { return false }
    defer { try? handle.close() }
    guard let start = try? handle.read(upToCount: 4096) else { return false }
    return CodeFile.isHeading(String(decoding: start, as: UTF8.self), model: modelName)
  }

  /// Writes all code into one file.
  ///
  /// - Throws: ``ModelCodeError`` that names the file.
  public func writeOneFile(to path: String) throws(ModelCodeError) {
    let file = URL(fileURLWithPath: path)
    _ = try Self.write(text, to: file.deletingLastPathComponent().path, file.lastPathComponent)
  }

  private static func write(
    _ text: String, to folder: String, _ name: String
  ) throws(ModelCodeError) -> Bool {
    let folder = URL(fileURLWithPath: folder, isDirectory: true)
    let file = folder.appendingPathComponent(name)
    let bytes = Data(text.utf8)
    if let there = FileManager.default.contents(atPath: file.path), there == bytes { return false }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try bytes.write(to: file, options: .atomic)
    } catch {
      throw ModelCodeError(
        code: .notWritten, message: "The file \(file.path) can't be written: \(error)")
    }
    return true
  }
}
