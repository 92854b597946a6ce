/// The names in an archive. Each name is checked on its own and against all earlier names (spec §8.4).
///
/// Packing and reading use the same checks, so every packed document can be read.
struct EntryNames {
  /// An error of a name.
  struct Fault: Error {
    let code: ArchiveError.Code
    /// The reason, which completes "Can't read 'a/b': …".
    let reason: String
  }

  static let pathByteLimit = 1024
  static let nameByteLimit = 255
  static let depthLimit = 32

  /// Every path so far, and the folders around it, by its folded form.
  private var known: [String: Known] = [:]

  private struct Known {
    let path: String
    let isDirectory: Bool
    /// Whether the path has its own entry. Otherwise it is only a folder of other paths.
    var isEntry: Bool
  }

  /// Returns the path in the bytes of a name, without the final slash of a folder.
  static func path(_ bytes: [UInt8]) throws(Fault) -> (path: String, isDirectory: Bool) {
    guard bytes.count <= pathByteLimit else {
      throw unsafe("its name has more than \(pathByteLimit) bytes")
    }
    guard let name = String(validating: bytes, as: UTF8.self) else {
      throw unsafe("its name is not UTF-8")
    }
    guard bytes.last == UInt8(ascii: "/") else { return (name, false) }
    return (String(name.unicodeScalars.dropLast()), true)
  }

  /// Adds a path, or throws an error if the path is unsafe or not unique.
  mutating func add(_ path: String, isDirectory: Bool) throws(Fault) {
    let parts = try Self.parts(path)
    var end = 0
    for (index, part) in parts.enumerated() {
      end += (index > 0 ? 1 : 0) + part.count
      let isLast = index == parts.count - 1
      let prefix = isLast ? path : String(decoding: path.utf8.prefix(end), as: UTF8.self)
      let folded = Self.folded(prefix)
      guard let other = known[folded] else {
        known[folded] = Known(
          path: prefix, isDirectory: !isLast || isDirectory, isEntry: isLast)
        continue
      }
      guard other.path.utf8.elementsEqual(prefix.utf8) else {
        throw Fault(code: .sameName, reason: "'\(other.path)' has the same name on some systems")
      }
      guard other.isDirectory == (!isLast || isDirectory), !isLast || !other.isEntry else {
        throw Fault(
          code: .sameName,
          reason: isLast ? "the name occurs twice" : "'\(prefix)' is a file and a folder")
      }
      if isLast { known[folded]!.isEntry = true }
    }
  }

  /// Returns the folded path. Two paths are the same name if their folded paths are equal: without case, and, as
  /// Swift compares strings, without regard to the composition of letters. Upper case comes first because several
  /// lower-case letters may share one upper-case letter.
  private static func folded(_ path: String) -> String { path.uppercased().lowercased() }

  private static func parts(_ path: String) throws(Fault) -> [Substring.UTF8View] {
    guard !path.isEmpty else { throw unsafe("its name is empty") }
    guard path.utf8.count <= pathByteLimit else {
      throw unsafe("its name has more than \(pathByteLimit) bytes")
    }
    for scalar in path.unicodeScalars {
      switch scalar.value {
      case 0: throw unsafe("its name contains a null character")
      case 1..<0x20, 0x7F..<0xA0: throw unsafe("its name contains a control character")
      // The replacement character may stand for any invalid bytes, so the original name is lost.
      case 0xFFFD: throw unsafe("its name is not UTF-8")
      case 0x5C:
        throw unsafe("its name contains a backslash, which separates names on some systems")
      default: break
      }
    }
    guard path.utf8.first != UInt8(ascii: "/") else {
      throw unsafe("its name is an absolute path")
    }
    let start = Array(path.utf8.prefix(2))
    if start.count == 2, start[1] == UInt8(ascii: ":"),
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(start[0] | 0x20)
    {
      throw unsafe("its name begins with the name of a drive")
    }
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count <= depthLimit else {
      throw unsafe("it is more than \(depthLimit) folders deep")
    }
    for part in parts {
      guard !part.isEmpty else { throw unsafe("a part of its name is empty") }
      guard part.count <= nameByteLimit else {
        throw unsafe("a part of its name has more than \(nameByteLimit) bytes")
      }
      guard !part.elementsEqual(".".utf8), !part.elementsEqual("..".utf8) else {
        throw unsafe("its name contains '.' or '..'")
      }
    }
    return parts
  }

  private static func unsafe(_ reason: String) -> Fault {
    Fault(code: .unsafeName, reason: reason)
  }
}

extension String {
  /// Whether a part of the path is a hidden name. Lock files and files that are being replaced have hidden names.
  var isHiddenPath: Bool {
    utf8.split(separator: UInt8(ascii: "/")).contains { $0.first == UInt8(ascii: ".") }
  }
}
