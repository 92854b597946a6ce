import BinaryStore
import DiskSimulation
import DurableFiles
import ObjectModel
import StoreInterface
import Testing

@testable import ToolCommands

@Suite("The size of a store that is a folder")
struct FolderStoreSizeTests {
  /// Stores that are folders with a block file.
  private struct FolderBackend: StoreBackend {
    let type = StoreType(rawValue: "Folder")
    var capabilities: StoreCapabilities { BinaryStoreBackend().capabilities }

    private func file(_ path: String) -> String { path + "/data.store" }
    func recognizes(_ firstBytes: [UInt8]) -> Bool { false }
    func recognizesFolder(at path: String, on disk: any Disk) throws -> Bool {
      try disk.exists(file(path))
    }
    func create(
      at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
    ) throws -> any Store {
      try disk.makeDirectory(path)
      return try BinaryStoreBackend().create(at: file(path), model: model, on: disk, creation)
    }
    func open(_ path: String, on disk: any Disk, _ opening: StoreOpening) throws -> any Store {
      try BinaryStoreBackend().open(file(path), on: disk, opening)
    }
    func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
      try BinaryStoreBackend().metadata(at: file(path), on: disk)
    }
  }

  @Test("'vacuum' prints the size of the store's files, and not of the folder's entry")
  func vacuum() throws {
    let disk = SimulatedDisk()
    let backend = FolderBackend()
    let model = try Model(entities: [Entity("Trip")])
    try backend.create(at: "/Trips", model: model, on: disk, StoreCreation()).close()
    let reader = StoreReader(backends: StoreBackends([backend]), disk: disk)

    let run = RecordedRun(
      ["vacuum", "/Trips"], tool: Tool(commands: [VacuumCommand.command(reader)]))

    #expect(run.exitCode == .done, "\(run.messages)")
    let byteCount = try disk.status(of: "/Trips/data.store").byteCount
    #expect(byteCount > 100)
    #expect(run.output.contains(", \(byteCount) after"), "\(run.output)")
  }
}
