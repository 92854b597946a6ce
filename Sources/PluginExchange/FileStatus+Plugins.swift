package import CStorePlugin
package import DurableFiles

extension FileStatus {
  /// Creates the status from its form in the interface.
  package init(_ status: QuireFileStatus) {
    self.init(
      kind: FileKind(pluginKind: status.kind), byteCount: Int(status.byte_count),
      modificationNanoseconds: status.modified,
      permissions: FilePermissions(rawValue: UInt16(truncatingIfNeeded: status.permissions)),
      identity: FileIdentity(device: status.device, inode: status.inode),
      nameCount: Int(truncatingIfNeeded: status.name_count))
  }

  /// The status in its form in the interface.
  package var pluginStatus: QuireFileStatus {
    QuireFileStatus(
      kind: kind.pluginKind, permissions: UInt32(permissions.rawValue),
      byte_count: Int64(byteCount), modified: modificationNanoseconds, device: identity.device,
      inode: identity.inode, name_count: UInt64(nameCount))
  }
}

extension FileKind {
  /// Creates the kind of the given number (spec §9.4).
  package init(pluginKind number: Int32) {
    self =
      switch Int(number) {
      case Int(QUIRE_DISK_FILE): .file
      case Int(QUIRE_DISK_DIRECTORY): .directory
      case Int(QUIRE_DISK_LINK): .symbolicLink
      default: .special
      }
  }

  package var pluginKind: Int32 {
    switch self {
    case .file: Int32(QUIRE_DISK_FILE)
    case .directory: Int32(QUIRE_DISK_DIRECTORY)
    case .symbolicLink: Int32(QUIRE_DISK_LINK)
    default: Int32(QUIRE_DISK_OTHER)
    }
  }
}
