import Synchronization

/// A mark on a file that other code in this process locks with POSIX locks, such as a library that opens the file
/// itself. The mark lasts as long as this object.
///
/// When a process closes any descriptor of a file, the system releases all POSIX locks of the process on that file
/// (`fcntl(2)`), whichever code acquired them. So Quire's own descriptors of a marked file are kept open, and used
/// again when the file is opened again. They are closed when the last mark ends.
public final class LockedFile: Sendable {
  private let identity: FileIdentity?

  /// Marks the file at a path; does nothing if there is no file.
  public init(_ path: String) {
    identity = LockedFile.identity(path)
    guard let identity else { return }
    held.withLock { $0[identity, default: Held()].count += 1 }
  }

  deinit {
    guard let identity else { return }
    let kept = held.withLock { held -> [Kept] in
      held[identity]?.count -= 1
      guard held[identity]?.count == 0 else { return [] }
      return held.removeValue(forKey: identity)?.kept ?? []
    }
    for one in kept { try? SystemCalls().closeNow(one.descriptor) }
  }

  /// Returns whether the file at a path is marked in this process.
  public static func isHeld(_ path: String) -> Bool {
    guard held.withLock({ !$0.isEmpty }), let identity = identity(path) else { return false }
    return held.withLock { $0[identity] != nil }
  }

  /// Returns the identity of the file at a path; `nil` if no regular file is there. A directory is never locked this
  /// way.
  private static func identity(_ path: String, followingLinks: Bool = true) -> FileIdentity? {
    guard let status = try? SystemCalls().status(of: path, followingLinks: followingLinks),
      status.kind == .file
    else { return nil }
    return status.identity
  }

  /// Takes a kept descriptor of the file that was opened with the requested access, if any.
  static func take(_ path: String, _ request: OpenRequest) -> Descriptor? {
    guard request.mode == .read || request.mode == .update, held.withLock({ !$0.isEmpty }),
      let identity = identity(path, followingLinks: request.links == .followed)
    else { return nil }
    return held.withLock { held in
      let kept = held[identity]?.kept ?? []
      guard let index = kept.firstIndex(where: { $0.allowsWriting == request.mode.allowsWriting })
      else { return nil }
      return held[identity]?.kept.remove(at: index).descriptor
    }
  }

  /// Keeps a descriptor that must not be closed yet.
  ///
  /// - Returns: Whether the descriptor was kept.
  static func keep(_ descriptor: Descriptor) -> Bool {
    guard held.withLock({ !$0.isEmpty }),
      let identity = try? SystemCalls().status(descriptor).identity
    else { return false }
    return held.withLock { held in
      guard held[identity] != nil else { return false }
      // Locks of the descriptor itself must end now.
      try? SystemCalls().unlock(descriptor)
      held[identity]?.kept.append(
        Kept(descriptor: descriptor, allowsWriting: SystemCalls().allowsWriting(descriptor)))
      return true
    }
  }
}

/// The marks and the kept descriptors of each marked file.
private let held = Mutex<[FileIdentity: Held]>([:])

private struct Held {
  var count = 0
  var kept: [Kept] = []
}

private struct Kept {
  let descriptor: Descriptor
  let allowsWriting: Bool
}
