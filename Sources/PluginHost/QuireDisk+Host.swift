// SAFETY: Texts and buffers are valid for the length of the call, with the stated number of bytes.

import CStorePlugin
import DurableFiles
import PluginExchange

extension QuireDisk {
  /// The disk calls of the context, a ``HostServices``.
  static var ofHost: QuireDisk {
    var table = unsafe QuireDisk()
    unsafe table.struct_size = UInt32(MemoryLayout<QuireDisk>.size)
    unsafe table.addFiles()
    unsafe table.addDirectories()
    unsafe table.addSurroundings()
    return unsafe table
  }

  @unsafe private mutating func addFiles() {
    unsafe open = { context, path, mode, permissions, below in
      unsafe answer(context) { calls throws(ErrorNumber) in
        guard let path = unsafe path,
          let request = OpenRequest(
            pluginMode: mode, permissions, below: unsafe below.map { unsafe String(cString: $0) })
        else { throw .invalidArgument }
        return try calls.open(unsafe String(cString: path), request).rawValue
      }
    }
    unsafe close = { context, file in
      unsafe answer(context) { calls throws(ErrorNumber) in
        try calls.close(Descriptor(rawValue: file))
        return 0
      }
    }
    unsafe read = { context, file, buffer, count, offset in
      unsafe answer(context) { calls throws(ErrorNumber) in
        // No bytes may come without an address.
        if count == 0 { return 0 }
        guard let buffer = unsafe buffer, let offset = Int(exactly: offset) else {
          throw .invalidArgument
        }
        var span = unsafe MutableRawSpan(
          _unsafeStart: buffer, byteCount: Int(min(count, 1 << 40)))
        return Int64(
          try calls.read(Descriptor(rawValue: file), into: &span, at: offset))
      }
    }
    unsafe write = { context, file, buffer, count, offset in
      unsafe answer(context) { calls throws(ErrorNumber) in
        // No bytes may come without an address.
        if count == 0 { return 0 }
        guard let buffer = unsafe buffer, let offset = Int(exactly: offset) else {
          throw .invalidArgument
        }
        let span = unsafe RawSpan(_unsafeStart: buffer, byteCount: Int(min(count, 1 << 40)))
        return Int64(try calls.write(Descriptor(rawValue: file), span, at: offset))
      }
    }
    unsafe truncate = { context, file, count in
      unsafe answer(context) { calls throws(ErrorNumber) in
        guard let count = Int(exactly: count) else { throw .invalidArgument }
        try calls.truncate(Descriptor(rawValue: file), to: count)
        return 0
      }
    }
    unsafe sync = { context, file, everything in
      unsafe answer(context) { calls throws(ErrorNumber) in
        try calls.sync(Descriptor(rawValue: file), everything != 0 ? .everything : .contents)
        return 0
      }
    }
    unsafe status = { context, file, status in
      unsafe answer(context) { calls throws(ErrorNumber) in
        let found = try calls.status(Descriptor(rawValue: file))
        unsafe status?.pointee = found.pluginStatus
        return 0
      }
    }
    unsafe birth = { context, file in
      // The inode of the place is that of the status, so a file of a packed document is a copy for a plug-in each time.
      unsafe answer(context) { calls in
        calls.place(Descriptor(rawValue: file), inode: 0).birthNanoseconds
      }
    }
    unsafe set_permissions = { context, file, permissions in
      unsafe answer(context) { calls throws(ErrorNumber) in
        try calls.setPermissions(
          Descriptor(rawValue: file),
          to: FilePermissions(rawValue: UInt16(truncatingIfNeeded: permissions)))
        return 0
      }
    }
    unsafe lock = { context, file, exclusive in
      unsafe answer(context) { calls throws(ErrorNumber) in
        try calls.lock(Descriptor(rawValue: file), exclusive != 0 ? .exclusive : .shared)
        return 0
      }
    }
    unsafe unlock = { context, file in
      unsafe answer(context) { calls throws(ErrorNumber) in
        try calls.unlock(Descriptor(rawValue: file))
        return 0
      }
    }
  }

  @unsafe private mutating func addDirectories() {
    unsafe list = { context, directory, entry, entryContext in
      unsafe answer(context) { calls throws(ErrorNumber) in
        for found in try calls.list(Descriptor(rawValue: directory)) {
          let kind = found.kind.pluginKind
          let answer = unsafe found.name.withCString { unsafe entry?(entryContext, $0, kind) ?? 0 }
          if answer != 0 { break }
        }
        return 0
      }
    }
    unsafe status_of = { context, path, following, status in
      unsafe answer(context) { calls throws(ErrorNumber) in
        let found = try calls.status(of: unsafe text(path), followingLinks: following != 0)
        unsafe status?.pointee = found.pluginStatus
        return 0
      }
    }
    unsafe make_directory = { context, path, permissions in
      unsafe answer(context) { calls throws(ErrorNumber) in
        try calls.makeDirectory(
          unsafe text(path), FilePermissions(rawValue: UInt16(truncatingIfNeeded: permissions)))
        return 0
      }
    }
    unsafe remove = { context, path in
      unsafe answer(context) { calls throws(ErrorNumber) in
        try calls.remove(unsafe text(path))
        return 0
      }
    }
    unsafe remove_directory = { context, path in
      unsafe answer(context) { calls throws(ErrorNumber) in
        try calls.removeDirectory(unsafe text(path))
        return 0
      }
    }
    unsafe rename = { context, path, newPath in
      unsafe answer(context) { calls throws(ErrorNumber) in
        try calls.rename(unsafe text(path), to: unsafe text(newPath))
        return 0
      }
    }
    unsafe link = { context, path, newPath in
      unsafe answer(context) { calls throws(ErrorNumber) in
        try calls.link(unsafe text(path), to: unsafe text(newPath))
        return 0
      }
    }
    unsafe make_symbolic_link = { context, path, destination in
      unsafe answer(context) { calls throws(ErrorNumber) in
        try calls.makeSymbolicLink(unsafe text(path), to: unsafe text(destination))
        return 0
      }
    }
    unsafe read_symbolic_link = { context, path, destination in
      unsafe answer(context) { calls throws(ErrorNumber) in
        let found = try calls.readSymbolicLink(unsafe text(path))
        unsafe destination?.pointee = unsafe QuireBytes(Array(found.utf8))
        return 0
      }
    }
  }

  @unsafe private mutating func addSurroundings() {
    unsafe real_path = { context, path, realPath in
      unsafe answer(context) { calls throws(ErrorNumber) in
        let found = try calls.realPath(of: unsafe text(path))
        unsafe realPath?.pointee = QuireBytes(Array(found.utf8))
        return Int32(0)
      }
    }
    unsafe process = { context, process in
      guard let services = unsafe HostServices.of(context) else { return }
      unsafe process?.pointee = services.calls.process.pluginProcess
    }
    unsafe is_running = { context, process in
      guard let services = unsafe HostServices.of(context), let process = unsafe process else {
        return 0
      }
      return unsafe services.calls.isRunning(ProcessIdentity(process.pointee)) ? 1 : 0
    }
    unsafe unique_number = { context in
      unsafe HostServices.of(context)?.calls.uniqueNumber() ?? 0
    }
    unsafe uptime = { context in
      unsafe HostServices.of(context)?.calls.uptime.pluginNanoseconds ?? 0
    }
    unsafe pause = { context, nanoseconds in
      unsafe HostServices.of(context)?.calls.pause(
        for: .nanoseconds(Int64(clamping: nanoseconds)))
    }
  }
}

/// Makes a call, and returns its failure in the form of the interface: as a number below zero.
private func answer<R: SignedInteger & FixedWidthInteger>(
  _ context: UnsafeMutableRawPointer?, _ body: (any DiskCalls) throws(ErrorNumber) -> R
) -> R {
  guard let services = unsafe HostServices.of(context) else {
    return R(0 &- ErrorNumber.badDescriptor.rawValue)
  }
  do throws(ErrorNumber) { return try body(services.calls) } catch {
    return R(0 &- error.rawValue)
  }
}

/// Returns the path at an address; an empty path, which never exists, if the address is NULL.
private func text(_ place: UnsafePointer<CChar>?) -> String {
  unsafe place.map { unsafe String(cString: $0) } ?? ""
}

extension OpenRequest {
  /// Creates the request of the given number; `nil` if the number is invalid.
  fileprivate init?(pluginMode number: Int32, _ permissions: UInt32, below: String?) {
    let number = Int(number)
    let mode: OpenMode
    switch number & Int(QUIRE_OPEN_MODES) {
    case Int(QUIRE_OPEN_READ): mode = .read
    case Int(QUIRE_OPEN_UPDATE): mode = .update
    case Int(QUIRE_OPEN_CREATE): mode = .create
    default: mode = .updateOrCreate
    }
    let known = Int(QUIRE_OPEN_MODES) | Int(QUIRE_OPEN_DIRECTORY) | Int(QUIRE_OPEN_NO_LINK)
    guard number & ~known == 0 else { return nil }
    let links: LinkRule =
      below.map { .refusedBelow($0) }
      ?? (number & Int(QUIRE_OPEN_NO_LINK) != 0 ? .refused : .followed)
    self.init(
      mode, links: links,
      permissions: FilePermissions(rawValue: UInt16(truncatingIfNeeded: permissions)),
      isDirectory: number & Int(QUIRE_OPEN_DIRECTORY) != 0)
  }
}
