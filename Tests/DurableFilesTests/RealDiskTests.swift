import DurableFiles
import Foundation
import Testing

@Suite("The real disk")
struct RealDiskTests {
  @Test("A pipe in a file's place is refused, and not waited for")
  func pipe() throws {
    try TestDisk.real.run { disk, directory in
      #expect(mkfifo(directory + "/pipe", 0o600) == 0)

      for mode in [OpenMode.read, .update, .updateOrCreate] {
        expect(.notARegularFile) { try disk.open(directory + "/pipe", for: mode) }
      }
      expect(.notARegularFile) { try disk.replace(directory + "/pipe") { try $0.write("x") } }
      let kinds = try disk.list(directory).map(\.kind)
      #expect(kinds == [.special])
    }
  }

  @Test("The process is told from all others")
  func identity() {
    let calls = RealDisk().calls
    let process = calls.process

    #expect(process.processID == getpid())
    #expect(calls.isRunning(process))
    var earlier = process
    earlier.startTime += 1
    #expect(!calls.isRunning(earlier))
    var none = process
    none.processID = 0
    #expect(!calls.isRunning(none))
    #if os(Linux)
      #expect(process.startTime > 0)
      #expect(process.bootID.count == 36)
    #endif
  }

  @Test("The clock goes on while it pauses")
  func pausing() {
    let calls = RealDisk().calls
    let start = calls.uptime

    calls.pause(for: .milliseconds(3))

    #expect(calls.uptime - start >= .milliseconds(3))
  }

  @Test("Every name a listing of a large directory gives is there")
  func largeDirectory() throws {
    try TestDisk.real.run { disk, directory in
      let names = (0..<500).map { "\($0)-" + String(repeating: "x", count: $0 % 200) }.sorted()
      for name in names { try disk.write("", to: directory + "/" + name) }

      #expect(try disk.names(directory) == names)
    }
  }
}
