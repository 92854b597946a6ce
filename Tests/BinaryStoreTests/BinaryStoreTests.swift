import BinaryStore
import DurableFiles
import Foundation
import ObjectModel
import Rows
import StoreConformance
import StoreInterface
import Synchronization
import Testing

@Suite("The block file")
struct BinaryStoreTests {
  @Test("Conforms, on a disk in memory", arguments: [false, true])
  func conformance(isCompressed: Bool) throws {
    let disk = SimulatedDisk()
    let count = Mutex(0)
    try StoreConformance(
      make: { model in
        let number = count.withLock { count in
          count += 1
          return count
        }
        return try BinaryStore.create(
          at: "/store\(number)", model: model, isCompressed: isCompressed, on: disk)
      },
      reopen: { store in
        let path = store.path!
        try store.close()
        return try BinaryStore.open(path, on: disk)
      }
    ).run()
    #expect(disk.openFileCount < 100)
  }

  @Test("Conforms, on a real one")
  func realConformance() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try StoreConformance(
      make: { model in
        try BinaryStore.create(
          at: folder.appending(path: UUID().uuidString).path, model: model)
      },
      reopen: { store in
        try store.close()
        return try BinaryStore.open(store.path!)
      }
    ).run()
  }
}
