import DiskSimulation
import DurableFiles
import Synchronization

/// A disk that leaves out syncs, for stores that make too little durable.
struct LazyDisk: Disk {
  let base: any Disk
  let fault: Fault
  private let progress = Progress()

  /// The open folders, and the number of syncs so far.
  private final class Progress: Sendable {
    let state = Mutex((folders: Set<Descriptor>(), syncs: 0))
  }

  init(_ base: any Disk, _ fault: Fault) { (self.base, self.fault) = (base, fault) }

  var calls: any DiskCalls { Calls(base: base.calls, fault: fault, progress: progress) }

  private struct Calls: WrappingCalls {
    let base: any DiskCalls
    let fault: Fault
    let progress: Progress

    func sync(_ descriptor: Descriptor, _ scope: SyncScope) throws(ErrorNumber) {
      let isLeftOut = progress.state.withLock { state in
        state.syncs += 1
        switch fault {
        case .neverSyncs: return true
        case .syncsNoFolders: return state.folders.contains(descriptor)
        default: return state.syncs % 2 == 0
        }
      }
      if !isLeftOut { try base.sync(descriptor, scope) }
    }

    func open(_ path: String, _ request: OpenRequest) throws(ErrorNumber) -> Descriptor {
      let descriptor = try base.open(path, request)
      if request.isDirectory { progress.state.withLock { _ = $0.folders.insert(descriptor) } }
      return descriptor
    }

    func close(_ descriptor: Descriptor) throws(ErrorNumber) {
      progress.state.withLock { _ = $0.folders.remove(descriptor) }
      try base.close(descriptor)
    }
  }
}
