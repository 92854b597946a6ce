import DurableFiles
import JSONText

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#elseif canImport(Glibc)
  import Glibc
#endif

/// The rule that decides which files may become code of this process: files that only the user and the system can have
/// written (spec §9.4).
struct PluginTrust: Sendable {
  /// The user with trusted plug-ins, besides the system.
  let user: UInt32

  /// The rule for the effective user of this process.
  static var standard: PluginTrust { PluginTrust(user: geteuid()) }

  /// Returns the reason not to trust a file or folder, to complete "'path' …"; `nil` if it is trusted.
  func objection(to status: FileStatus, wanting kind: FileKind, at path: String) -> String? {
    guard status.kind == kind else { return "is a \(status.kind), not a \(kind)" }
    return objection(toOwnerOf: status) ?? objection(toWritersOf: status, at: path)
  }

  /// Returns the reason not to trust a folder on the path to a plug-in; `nil` if it is trusted. In a sticky folder such
  /// as `/tmp`, all users may create folders but delete only their own. Another user can't replace an existing folder
  /// there.
  func objection(toFolderOnTheWay status: FileStatus, at path: String) -> String? {
    let isSticky = status.permissions.rawValue & 0o1000 != 0
    return objection(toOwnerOf: status)
      ?? (isSticky ? nil : objection(toWritersOf: status, at: path))
  }

  private func objection(toOwnerOf status: FileStatus) -> String? {
    guard let owner = status.owner else { return "is on a disk that does not store owners" }
    return owner == 0 || owner == user
      ? nil : "belongs to user \(owner), not to user \(user) or the system"
  }

  private func objection(toWritersOf status: FileStatus, at path: String) -> String? {
    let permissions = status.permissions.rawValue
    guard permissions & 0o022 != 0 else { return nil }
    let who = permissions & 0o002 != 0 ? "every user" : "its group"
    let classes = (permissions & 0o020 != 0 ? "g" : "") + (permissions & 0o002 != 0 ? "o" : "")
    return
      "can be written by \(who) (mode \(String(permissions, radix: 8))), so another user could replace the plug-in; "
      + "'chmod \(classes)-w \(path.shellWord)' corrects this"
  }
}

extension Disk {
  /// Returns the path without links, and the folders on the way to it, the root first.
  ///
  /// - Throws: The error of the disk; `notFound` if the path leads nowhere.
  func resolved(_ path: String) throws(DiskError) -> (path: String, folders: [String]) {
    var folders = ["/"]
    var names = path.split(separator: "/").map(String.init)[...]
    var linkCount = 0
    while let name = names.popFirst() {
      if name == "." { continue }
      if name == ".." {
        if folders.count > 1 { folders.removeLast() }
        continue
      }
      let here = folders[folders.count - 1].appendingPathComponent(name)
      guard try status(of: here, followingLinks: false).kind == .symbolicLink, linkCount < 40 else {
        folders.append(here)
        continue
      }
      linkCount += 1
      let destination: String
      do { destination = try calls.readSymbolicLink(here) } catch {
        // The link was removed or replaced by now: the next access reports an error.
        folders.append(here)
        continue
      }
      if destination.hasPrefix("/") { folders = ["/"] }
      names = destination.split(separator: "/").map(String.init) + names
    }
    return (folders[folders.count - 1], folders.dropLast())
  }

  /// Returns whether a folder is a document. A document may come from anywhere, so none of its files may become code
  /// (spec §9.4.3).
  func isDocument(_ folder: String) -> Bool {
    let manifest = folder.appendingPathComponent("manifest.json")
    guard let status = try? status(of: manifest) else { return false }
    if folder.lowercased().hasSuffix(".quire") { return true }
    guard status.kind == .file else { return false }
    guard let bytes = try? read(manifest, byteLimit: 64 << 20), let json = try? JSON.read(bytes)
    else { return false }
    return json["format"] == .string("quire-document")
  }
}
