import CommandInterface
import DurableFiles
import Foundation
import ModelCode
import ModelNotations
import ObjectModel

extension ModelCommand {
  /// Prints Swift source with a class for each entity, or writes the source into a folder.
  ///
  /// By default, the classes are of the current version, and the source of all versions is added for migrations. If the
  /// command line names a version, the output contains only that version.
  static func writeCode(_ reader: ModelReader, _ invocation: Invocation) throws -> ExitCode {
    let made = try invocation.output(Self.output, on: RealDisk())
    let path = URL(fileURLWithPath: invocation[path]).deletingPathExtension()
    // A bare `contents` file takes its name from the folder that contains it.
    let name =
      path.lastPathComponent == "contents"
      ? path.deletingLastPathComponent().deletingPathExtension().lastPathComponent
      : path.lastPathComponent
    var options = ModelClasses.Options()
    options.access = invocation.value(of: access).flatMap(CodeAccess.init) ?? .public
    options.unmarkedEntities = invocation.value(of: unmarked).flatMap(CodeKind.init) ?? .class
    options.module = invocation.value(of: module)
    let chosen = try invocation.value(of: version).map {
      try reader.model(at: invocation[Self.path], version: $0)
    }
    let versions = try reader.read(invocation[Self.path])
    let classes: ModelClasses
    do throws(ModelCodeError) {
      if let chosen {
        classes = try ModelClasses(of: chosen.model, named: name, version: chosen.name, options)
      } else {
        classes = try ModelClasses(of: versions, named: name, options)
      }
    } catch {
      throw CommandError(.unreadable, "\(invocation[Self.path]): \(error.message)")
    }
    let output = invocation.console.output
    guard let made else {
      try output.write(output.isTerminal ? printable(classes.text) : classes.text)
      return .done
    }
    let change: ModelClasses.FolderChange
    do throws(ModelCodeError) {
      change = try classes.write(to: made.path, replacingForeignFiles: made.overwrites)
    } catch {
      throw CommandError(
        .inputOutput, error.message,
        hint: error.code == .foreignFile ? Output.forceHint : nil)
    }
    for name in change.written { try output.writeLine(name) }
    for name in change.removed {
      try invocation.console.messages.write("removed: \(printable(name))\n")
    }
    return .done
  }
}
