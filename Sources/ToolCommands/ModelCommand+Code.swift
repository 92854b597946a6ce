import Foundation
import ModelCode
import ObjectModel

extension ModelCommand {
  /// Prints Swift source with a class for each entity, or writes it into a folder.
  static func writeCode(
    _ version: ModelVersions.Version, _ invocation: Invocation
  ) throws -> ExitCode {
    let path = URL(fileURLWithPath: invocation[path]).deletingPathExtension()
    // A bare `contents` file is named by the folder around it.
    let name =
      path.lastPathComponent == "contents"
      ? path.deletingLastPathComponent().deletingPathExtension().lastPathComponent
      : path.lastPathComponent
    var options = ModelClasses.Options()
    options.access = invocation.value(of: access).flatMap(CodeAccess.init) ?? .public
    options.unmarkedEntities = invocation.value(of: unmarked).flatMap(CodeKind.init) ?? .class
    let classes: ModelClasses
    do {
      classes = try ModelClasses(of: version.model, named: name, version: version.name, options)
    } catch {
      throw CommandError(.unreadable, "\(invocation[Self.path]): \(error.message)")
    }
    let output = invocation.console.output
    guard let folder = invocation.value(of: Self.output) else {
      try output.write(classes.text)
      return .done
    }
    let change: ModelClasses.FolderChange
    do { change = try classes.write(to: folder) } catch {
      throw CommandError(.inputOutput, error.message)
    }
    for name in change.written { try output.writeLine(name) }
    for name in change.removed {
      try invocation.console.messages.write("removed: \(printable(name))\n")
    }
    return .done
  }
}
