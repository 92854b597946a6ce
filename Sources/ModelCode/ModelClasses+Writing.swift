import Foundation

extension ModelClasses {
  /// Writes each file into the folder, which is made where it is missing.
  ///
  /// A file that holds its text already is left alone, so that nothing is built anew for it. Files of
  /// other names stay.
  ///
  /// - Returns: The names of the files that were written.
  /// - Throws: ``ModelCodeError`` that names the file.
  @discardableResult
  public func write(to folder: String) throws(ModelCodeError) -> [String] {
    var written: [String] = []
    for file in files where try Self.write(file.text, to: folder, file.name) {
      written.append(file.name)
    }
    return written
  }

  /// Writes all the code into one file.
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
