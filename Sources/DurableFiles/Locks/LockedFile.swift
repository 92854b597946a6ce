/// A file on which something else in this process holds locks of POSIX, a library that opens the file by itself: noted
/// for as long as this is there.
///
/// When a process closes any descriptor of a file, the system gives up all such locks that the process has on it
/// (`fcntl(2)`), whoever took them. So descriptors of ours for such a file are not closed but kept, and used when it
/// is opened again, until the file is let go of.
public final class LockedFile: Sendable {
  private let identity: FileIdentity?

  /// Notes the file that a path leads to; nothing where there is none.
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

  /// Whether something in this process has the file at a path locked.
  public static func isHeld(_ path: String) -> Bool {
    guard held.withLock({ !$0.isEmpty }), let identity = identity(path) else { return false }
    return held.withLock { $0[identity] != nil }
  }

  /// Which file a path leads to; `nil` for a folder, which nobody locks so.
  private static func identity(_ path: String, followingLinks: Bool = true) -> FileIdentity? {
    guard let status = try? SystemCalls().status(of: path, followingLinks: followingLinks),
      status.kind == .file
    else { return nil }
    return status.identity
  }

  /// A descriptor that was kept for a file, opened as is wanted now.
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

  /// Keeps a descriptor that is not to be closed yet.
  ///
  /// - Returns: Whether it is one.
  static func keep(_ descriptor: Descriptor) -> Bool {
    guard held.withLock({ !$0.isEmpty }),
      let identity = try? SystemCalls().status(descriptor).identity
    else { return false }
    return held.withLock { held in
      guard held[identity] != nil else { return false }
      // Locks of the descriptor itself end with it.
      try? SystemCalls().unlock(descriptor)
      held[identity]?.kept.append(
        Kept(descriptor: descriptor, allowsWriting: SystemCalls().allowsWriting(descriptor)))
      return true
    }
  }
}

/// What is known of the files that are held, by which they are.
private let held = Guarded<[FileIdentity: Held]>([:])

private struct Held {
  var count = 0
  var kept: [Kept] = []
}

private struct Kept {
  let descriptor: Descriptor
  let allowsWriting: Bool
}
