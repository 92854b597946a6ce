import DiskSimulation
import DurableFiles
import ObjectModel
import PluginHost
import Rows
import SeededRandom
import StoreInterface

extension HostileInputs {
  /// Exchanges rows with a plug-in whose answers are distorted: each answer must be rows of a store or an error, and
  /// rows from the host must be saved or refused. The first byte chooses between blocks and arrays, and the pattern of
  /// the texts; the remaining bytes state the distortions.
  public static func pluginBatch(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    HostilePlugin.with(Array(bytes.dropFirst()), crossing: first & 1 != 0) { backend in
      let entity = Entity(
        "Note",
        properties: [
          .attribute(Attribute("stars", .int32)), .attribute(Attribute("title", .string)),
          .attribute(Attribute("token", .uuid)), .attribute(Attribute("when", .date)),
          .attribute(Attribute("bytes", .binary)), .attribute(Attribute("isRead", .boolean)),
        ])
      guard let model = try? Model(entities: [entity]),
        let store = try? backend.create(
          at: "/notes", model: model, on: SimulatedDisk(), StoreCreation())
      else { return }
      let pattern = ValuePattern.allCases[Int(first >> 1) % ValuePattern.allCases.count]
      for round in 0..<2 {
        guard let base = try? store.snapshot(), let layout = base.schema["Note"] else { return }
        let builder = LayerBuilder(base.schema)
        for number in 1...4 as ClosedRange<UInt64> {
          let key = ObjectKey(entity: layout.entityNumber, number: number + UInt64(round) * 4)
          builder.insert(key)
          for (index, column) in layout.columns.enumerated() where column.kind == .string {
            let text = pattern.value(
              empty: "", greatest: String(repeating: "\u{10FFFF}", count: 80), same: "text"
            ) { "text \(number)" }
            if let text { builder.set(.string(text), column: index, of: key) }
          }
        }
        _ = try? store.commit(CommitRequest(builder.freeze(), basedOn: base))
        _ = try? StoreContents(store)
        _ = try? store.leaseKeys(ofEntity: layout.entityNumber, count: 3)
      }
      try? store.close()
    }
  }

  /// Reads any bytes as a plug-in's manifest: a refusal that names the file is allowed. A manifest must name a library
  /// in its own folder, and recognize files by their first bytes.
  public static func pluginManifest(_ bytes: [UInt8]) {
    let manifest: PluginManifest
    do {
      manifest = try PluginManifest(bytes, path: "/p/plugin.json", folderName: "p")
    } catch {
      precondition(error.message.contains("/p/plugin.json"), "It says no file: \(error)")
      precondition([.badManifest, .wrongVersion].contains(error.reason), "\(error.reason)")
      return
    }
    precondition(!manifest.library.contains("/") && !manifest.library.hasPrefix("."))
    precondition(!manifest.types.isEmpty)
    precondition(Set(manifest.types.map(\.type)).count == manifest.types.count)
    for type in manifest.types {
      precondition(type.marker.map { !$0.contains("/") && $0 != ".." } ?? true)
      for one in type.begins {
        precondition(!one.bytes.isEmpty)
        precondition(one.offset + one.bytes.count <= StoreBackends.firstByteCount)
        let file = [UInt8](repeating: 0, count: one.offset) + one.bytes + (one.contains ?? [])
        precondition(type.recognizes(file) || file.count > StoreBackends.firstByteCount)
      }
      _ = type.recognizes(bytes)
    }
  }
}
