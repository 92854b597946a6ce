// SAFETY: The names and the contents are constants of the program, and each ends with a zero.

import CEmbeddedFiles

/// The files that are parts of the program. Each is a text in UTF-8.
package enum EmbeddedFile {
  /// Returns the contents of a file. There must be a file with the name.
  package static func text(_ name: String) -> String {
    var file = unsafe embedded_files()!
    while let found = unsafe file.pointee.name {
      if unsafe String(cString: found) == name {
        return unsafe String(cString: file.pointee.bytes)
      }
      unsafe file += 1
    }
    preconditionFailure("There is no file '\(name)' in the program.")
  }

  /// Returns the bytes of a file. There must be a file with the name.
  package static func bytes(_ name: String) -> [UInt8] { Array(text(name).utf8) }
}
