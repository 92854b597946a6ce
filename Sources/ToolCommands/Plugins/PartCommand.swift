import CommandInterface
import DurableFiles
import PluginHost
import PluginKit
import StoreConformance

/// The hidden command of the tool that runs a part of a conformance case in its own process. The case starts it.
///
/// ```text
/// quire conformance-part PLUGIN TYPE PART…
/// ```
///
/// PLUGIN is the folder of the plug-in, and TYPE the type of store. The part reads the lines of the case from the standard
/// input, and writes its own lines to the standard output.
struct PartCommand {
  static let name = PartProcess.command

  /// The words behind the name of the command.
  let words: [String]

  /// Runs the part, and returns when the part has ended.
  func run(_ finder: PluginFinder, on console: Console) throws {
    guard words.count > 2, let part = StoreConformance.Part(words: Array(words.dropFirst(2))) else {
      throw CommandError.wrongUsage(
        "'quire \(Self.name)' is for the cases of 'quire plugin test', which start it.")
    }
    let plugin = try PluginCommand.found(at: words[0], finder, replacingBuiltIn: true)
    guard let type = plugin.types.first(where: { $0.name == words[1] }) else {
      throw CommandError.wrongUsage(
        "The plug-in '\(plugin.manifest.name)' has no type '\(oneLine(words[1]))'.")
    }
    var rest: [UInt8] = []
    try part.run(
      PluginBackend(plugin, type), on: RealDisk(),
      reading: {
        while true {
          if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            defer { rest.removeSubrange(...end) }
            return String(decoding: rest[..<end], as: UTF8.self)
          }
          let bytes = try console.input.read()
          if bytes.isEmpty { return nil }
          rest += bytes
        }
      },
      writing: { try console.output.writeLine($0) })
  }
}
