package import DiskSimulation
package import DurableFiles
internal import Threads

/// A disk in memory at whose writes, syncs and locks other threads of a schedule may go on.
package struct ScheduledDisk: Disk {
  package let base: SimulatedDisk

  package init(_ base: SimulatedDisk = SimulatedDisk()) { self.base = base }

  package var calls: any DiskCalls { Calls(base: base.calls) }

  // Reads are no such places: several caches hold a mutex while they read.
  private struct Calls: WrappingCalls {
    let base: any DiskCalls

    func write(
      _ descriptor: Descriptor, _ bytes: RawSpan, at offset: Int
    ) throws(ErrorNumber) -> Int {
      Threads.pass()
      return try base.write(descriptor, bytes, at: offset)
    }

    func truncate(_ descriptor: Descriptor, to byteCount: Int) throws(ErrorNumber) {
      Threads.pass()
      try base.truncate(descriptor, to: byteCount)
    }

    func sync(_ descriptor: Descriptor, _ scope: SyncScope) throws(ErrorNumber) {
      Threads.pass()
      try base.sync(descriptor, scope)
      Threads.pass()
    }

    func lock(_ descriptor: Descriptor, _ kind: LockKind) throws(ErrorNumber) {
      Threads.pass()
      try base.lock(descriptor, kind)
    }

    func unlock(_ descriptor: Descriptor) throws(ErrorNumber) {
      try base.unlock(descriptor)
      Threads.pass()
    }

    func rename(_ path: String, to newPath: String) throws(ErrorNumber) {
      Threads.pass()
      try base.rename(path, to: newPath)
    }

    func exchange(_ path: String, with other: String) throws(ErrorNumber) {
      Threads.pass()
      try base.exchange(path, with: other)
    }

    var uptime: Duration { Threads.schedule?.now ?? base.uptime }

    func pause(for duration: Duration) {
      guard let schedule = Threads.schedule else { return base.pause(for: duration) }
      _ = schedule.wait(atMost: duration) { false }
    }
  }
}
