import Foundation
import ModelCode
import ModelNotations
import ObjectModel

// The tool that the build plug-in `GenerateModel` runs while a package is built. On the command line, use `quire model --format
// swift` instead.

let usage =
  "usage: quire-classes MODEL FILE [public|package|internal] [class|category|none] [MODULE]"

/// Prints a message in the form that build systems recognize, and ends the tool.
func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("error: \(message)\n".utf8))
  exit(1)
}

let words = CommandLine.arguments.dropFirst().map { $0 }
guard (2...5).contains(words.count) else { fail(usage) }
var options = ModelClasses.Options()
if words.count > 2 {
  guard let access = CodeAccess(rawValue: words[2]) else { fail(usage) }
  options.access = access
}
if words.count > 3 {
  guard let kind = CodeKind(rawValue: words[3]) else { fail(usage) }
  options.unmarkedEntities = kind
}
if words.count > 4 { options.module = words[4] }

do {
  let versions = try ModelVersions.read(words[0])
  let name = URL(fileURLWithPath: words[0]).deletingPathExtension().lastPathComponent
  let classes = try ModelClasses(of: versions, named: name, options)
  try classes.writeOneFile(to: words[1])
} catch let error as ModelCodeError {
  fail("\(words[0]): \(error)")
} catch {
  fail("\(error)")
}
