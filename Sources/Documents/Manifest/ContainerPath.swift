/// The paths that a manifest may name (spec §7.2.2): a folder of the document and one name in it.
///
/// No name leads out of the document, and each name means the same file on every system. A name contains only ASCII
/// letters, digits and `-`, `_` and `.`, so it has no slashes and no drive. Names of devices are refused. Two names
/// that differ only in case are refused too.
package enum ContainerPath {
  /// Returns the reason why a manifest must not name the given path in a folder, or `nil` if the path is allowed.
  package static func objection(to path: String, in folder: String) -> String? {
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 2, let first = parts.first, first.elementsEqual(folder.utf8) else {
      return "is \(quoted(path)), which is not the path of a file in \(folder)/."
    }
    let name = String(decoding: parts[1], as: UTF8.self)
    return objection(to: name).map { "is \(quoted(path)): the name \($0)." }
  }

  /// Returns the reason why no file of a document may have the given name, or `nil` if the name is allowed.
  package static func objection(to name: String) -> String? {
    if name.isEmpty { return "is empty" }
    if name.utf8.count > 200 { return "is longer than 200 bytes" }
    if name.utf8.first == UInt8(ascii: ".") { return "begins with a dot" }
    if name.utf8.last == UInt8(ascii: ".") { return "ends with a dot" }
    for scalar in name.unicodeScalars where !isPlain(scalar) {
      return scalar == " "
        ? "contains a space" : "contains the character \(scalar.escaped(asASCII: true))"
    }
    let stem = name.prefix { $0 != "." }.lowercased()
    if devices.contains(stem) { return "is the name of a device on some systems" }
    return nil
  }

  /// Returns the path as a case-insensitive file system compares it.
  package static func folded(_ path: String) -> String { path.lowercased() }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".": true
    default: false
    }
  }

  private static let devices: Set<String> = Set(
    ["con", "prn", "aux", "nul"] + (1...9).flatMap { ["com\($0)", "lpt\($0)"] })

  private static func quoted(_ path: String) -> String {
    "\"" + path.unicodeScalars.prefix(100).map { $0.escaped(asASCII: false) }.joined() + "\""
  }
}
