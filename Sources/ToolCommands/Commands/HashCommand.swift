import CommandInterface
import JSONText
import ModelNotations
import ObjectModel

/// The command `quire hash`.
enum HashCommand {
  static let digest = Option(
    "digest",
    "Prints the two texts that stores contain for all hashes together, instead of the hashes.")

  /// Returns the command. It reads models through `reader`.
  static func command(_ reader: ModelReader) -> Command {
    Command(
      "hash", "prints the version hashes of a model's entities",
      discussion: """
        A version hash has 32 bytes and covers everything that affects how the objects of an entity are \
        stored. Core Data computes the same bytes. Two models fit the same store if all their hashes are \
        equal.
        """,
      arguments: [ModelCommand.path], options: [ModelCommand.version, digest, .format],
      examples: [
        Example(
          "quire hash Trips.xcdatamodeld",
          "Prints a line for each entity, with its name and its hash."),
        Example("quire hash Trips.momd --digest", "Prints one digest and one checksum."),
      ]
    ) { invocation in
      let chosen = try reader.model(
        at: invocation[ModelCommand.path], version: invocation.value(of: ModelCommand.version))
      let hashes =
        invocation.has(digest)
        ? digests(of: chosen.model)
        : chosen.model.entities.map(\.name).sorted().compactMap { name in
          chosen.model.versionHash(of: name).map { (name, $0.description) }
        }
      let output = invocation.console.output
      switch invocation.format {
      case .text:
        for (name, hash) in hashes { try output.writeLine("\(oneLine(name)) \(hash)") }
      case .json:
        let members = hashes.map { JSON.Member(name: $0, value: .string($1)) }
        let object = JSON.object([
          "version": .string(chosen.name),
          invocation.has(digest) ? "digests" : "entities": .members(members),
        ])
        try output.writeLine(object)
      }
      return .done
    }
  }

  private static func digests(of model: Model) -> [(String, String)] {
    [("digest", model.versionHashesDigest), ("checksum", model.versionChecksum)]
  }
}
