import DiskSimulation
import DurableFiles
import Foundation
import StoreConformance
import StoreInterface

/// A process of a simulated disk, which runs a part of a case: a thread that loses the disk when it is killed.
final class SimulatedProcess: HelperProcess {
  private let disk: SimulatedDisk
  private let identity: ProcessIdentity
  private let input = LineQueue()
  private let output = LineQueue()
  private let hasEnded = DispatchSemaphore(value: 0)
  private var isKilled = false

  init(_ backend: FaultyBackend, on disk: SimulatedDisk, _ part: StoreConformance.Part) {
    let identity = ProcessIdentity(
      hostName: "here", bootID: disk.process.bootID, processID: .random(in: 1000...30_000),
      startTime: 1)
    (self.disk, self.identity) = (disk, identity)
    // The threads wait for each other's locks in real time.
    disk.whilePausing { usleep(1000) }
    let (input, output, hasEnded) = (input, output, hasEnded)
    Thread.detachNewThread {
      try? part.run(
        backend, on: disk.seen(by: identity), reading: { input.next() },
        writing: { if !output.add($0) { throw Killed() } })
      output.close {}
      hasEnded.signal()
    }
  }

  /// The error of the first line after the kill. Without it, a store whose files were closed at the kill could go on.
  private struct Killed: Error {}

  func send(_ line: String) { _ = input.add(line) }
  func nextLine() -> String? { output.next() }

  func kill() {
    guard !isKilled else { return }
    isKilled = true
    // A killed process can't write a line, so no line comes between the last call of the disk and the end.
    output.close { disk.endProcess(identity) }
    input.close {}
    hasEnded.wait()
    disk.whilePausing(nil)
  }
}

/// Lines from one thread to another.
private final class LineQueue: @unchecked Sendable {
  // Sendable: the condition guards both properties.
  private let condition = NSCondition()
  private var lines: [String] = []
  private var isClosed = false

  /// Adds a line. Returns `false` if the queue is closed.
  func add(_ line: String) -> Bool {
    condition.withLock {
      if !isClosed { lines.append(line) }
      condition.signal()
      return !isClosed
    }
  }

  /// Waits for a line and returns it; `nil` after the last line of a closed queue.
  func next() -> String? {
    condition.withLock {
      while lines.isEmpty, !isClosed { condition.wait() }
      return lines.isEmpty ? nil : lines.removeFirst()
    }
  }

  /// Runs an action, and takes no line from then on.
  func close(_ action: () -> Void) {
    condition.withLock {
      action()
      isClosed = true
      condition.broadcast()
    }
  }
}
