import DiskSimulation
import DurableFiles
import Foundation
import InstalledPlugins
import PluginHost
import SeededRandom
import StoreConformance
import StoreInterface
import TestEffort
import Testing

@Suite("Stores through the C interface")
struct ConformanceTests {
  /// A store made without the C interface opens through the interface, and a store made through it opens without it.
  @Test(
    "A loaded library and the linked backend open each other's stores",
    arguments: ["Binary", "CompressedBinary", "XML"])
  func bothWays(_ name: String) throws {
    let linked = try #require(Boundary.lasting.first { $0.type.rawValue == name })
    let loaded = try InstalledPlugins.backend(name)
    let disk = SimulatedDisk()
    var generator = SeededGenerator(seed: 3)
    for (number, (first, second)) in [
      (linked as any StoreBackend, loaded as any StoreBackend), (loaded, linked),
    ].enumerated() {
      let path = "/store\(number)"
      var objects: StoreConformance.Objects = [:]
      let store = try first.create(
        at: path, model: StoreConformance.model, on: disk, StoreCreation())
      var request: CommitRequest
      (objects, request) = try StoreConformance.randomSave(
        of: 40, to: objects, above: store.snapshot(), &generator)
      try store.commit(request)
      try store.close()
      let again = try second.open(path, on: disk, StoreOpening())
      #expect(try StoreConformance.objects(again.snapshot()) == objects)
      (objects, request) = try StoreConformance.randomSave(
        of: 20, to: objects, above: again.snapshot(), &generator)
      try again.commit(request)
      try again.close()
      #expect(
        try StoreConformance.objects(first.open(path, on: disk, StoreOpening()).snapshot())
          == objects)
      #expect(try first.metadata(at: path, on: disk) == second.metadata(at: path, on: disk))
    }
  }

  @Test("Stores of loaded libraries conform", arguments: ["Binary", "CompressedBinary", "XML"])
  func loaded(_ name: String) throws {
    let backend = try InstalledPlugins.backend(name)
    #expect(backend.type.rawValue == name)
    try Self.check(backend, keepsRows: name != "XML")
  }

  private static let ways: [(StoreType, Crossing)] = [
    (.binary, .blocks), (.compressed, .blocks), (.xml, .blocks), (.binary, .arrays),
    (.xml, .arrays),
  ]

  @Test(
    "A backend behind the C interface conforms as it does without the interface",
    arguments: Effort.part(of: ways))
  func conformance(_ type: StoreType, _ crossing: Crossing) throws {
    let plain = try #require(Boundary.lasting.first { $0.type == type })
    let backend = Boundary.through(plain, crossing)
    try Self.check(backend, keepsRows: type != .xml)
  }

  /// Runs the conformance suite against a backend, on a simulated disk.
  static func check(
    _ backend: PluginBackend, keepsRows: Bool, mostOpenFiles: Int = 99
  ) throws {
    let disk = SimulatedDisk()
    let report = StoreConformance(backend, on: disk, in: "/", keepsRows: keepsRows).run()
    #expect(report.failures == [])
    #expect(disk.openFileCount <= mostOpenFiles)
  }
}
