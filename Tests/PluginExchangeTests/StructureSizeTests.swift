// SAFETY: The table is made by PluginSupport and never freed.

import BinaryStore
import CStorePlugin
import PluginExchange
import PluginSupport
import StoreInterface
import Testing

@Suite("The sizes of structures at the plug-in interface")
struct StructureSizeTests {
  @Test("A smaller structure is refused, and a larger one is accepted")
  func sizes() throws {
    let size = UInt32(MemoryLayout<QuireQuery>.size)
    var query = QuireQuery()
    query.entity = 7
    query.struct_size = size + 8
    let larger = try PluginStructures.copy(of: &query)
    query.struct_size = size - 8
    let smaller = #expect(throws: StoreError.self) { try PluginStructures.copy(of: &query) }
    let none: UnsafePointer<QuireQuery>? = nil
    let missing = #expect(throws: StoreError.self) { try PluginStructures.copy(of: none) }

    #expect(larger.entity == 7)
    #expect(smaller?.code == .badPlugin && missing?.code == .badPlugin)
    #expect(
      smaller?.message.contains("QuireQuery has \(size - 8) bytes, fewer than the \(size)") == true)
    #expect(missing?.message == "The structure QuireQuery is missing.")
  }

  @Test("A plug-in in Swift refuses a host with fewer services, or of another version")
  func hosts() {
    let table = StorePlugin.table("Sizes", "1", [BinaryStoreBackend()])
      .assumingMemoryBound(to: QuirePlugin.self)
    for (version, size, words) in [
      (UInt32(QUIRE_PLUGIN_ABI), UInt32(8), "The structure QuireHost has 8 bytes, fewer than"),
      (7, 1024, "The host uses version 7 of the interface"),
    ] {
      var (host, bytes, error) = (QuireHost(), QuireBytes(), QuireError())
      host.abi_version = version
      host.struct_size = size

      let code = table.pointee.metadata(
        &host, table.pointee.types[0], "/none", &bytes, &error)

      #expect(code != Int32(QUIRE_OK))
      #expect(String(cString: error.message).contains(words))
      error.release?(&error)
    }
  }
}
