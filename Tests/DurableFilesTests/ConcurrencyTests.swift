import DiskSimulation
import DurableFiles
import Testing

@Suite("Files used from several threads")
struct ConcurrencyTests {
  @Test("Readers see whole blocks while a writer appends", arguments: TestDisk.allCases)
  func readersAndWriter(_ kind: TestDisk) async throws {
    let disk: any Disk = kind == .real ? RealDisk() : SimulatedDisk()
    let path = kind == .real ? "/tmp/quire-\(UInt64.random(in: .min ... .max))" : "/a"
    defer { try? disk.remove(path) }
    let writer = try disk.open(path, for: .create)
    let reader = try disk.open(path, for: .read)

    try await withThrowingTaskGroup(of: Void.self) { group in
      for writerNumber in 0..<2 as Range<UInt8> {
        group.addTask {
          for _ in 0..<100 { try writer.append([UInt8](repeating: writerNumber + 1, count: 64)) }
        }
      }
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<200 {
            let count = try reader.byteCount() / 64
            guard count > 0 else { continue }
            let block = try reader.read(byteCount: 64, at: (count - 1) * 64)
            #expect(Set(block).count == 1)
          }
        }
      }
      try await group.waitForAll()
    }

    #expect(try reader.byteCount() == 200 * 64)
  }

  @Test("Closing a file ends its readers with an error, and never with other bytes")
  func closingUnderReaders() async throws {
    let disk = RealDisk()
    let path = "/tmp/quire-\(UInt64.random(in: .min ... .max))"
    try disk.replace(path) { try $0.write([UInt8](repeating: 1, count: 4096)) }
    defer { try? disk.remove(path) }

    for _ in 0..<50 {
      let file = try disk.open(path, for: .read)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 {
          group.addTask {
            do {
              while true {
                let bytes = try file.read(byteCount: 4096, at: 0)
                #expect(bytes.allSatisfy { $0 == 1 })
                // There may be only as many threads as readers, so the loop yields.
                await Task.yield()
              }
            } catch {
              #expect((error as? DiskError)?.code == .closed)
            }
          }
        }
        group.addTask { try? file.close() }
        // A newly opened file may get the descriptor that was just closed.
        group.addTask { _ = try? disk.read("/etc/hostname", byteLimit: 4096) }
      }
    }
  }
}
