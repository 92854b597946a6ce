import Foundation
import ModelNotations
import ObjectModel

/// The search for the model file of a container by its name.
struct ModelSearch {
  /// The endings of model files. Within one folder an earlier ending comes first: a compiled model is as the build has
  /// made it.
  static let endings = ["momd", "mom", "xcdatamodeld", "xcdatamodel", "model"]

  /// The folders to look in, in their order.
  let folders: [String]

  init(folders: [String]) { self.folders = folders }

  /// Searches the resources of the program, the folder of its executable with the resources of packages in it, and the
  /// working directory.
  init() {
    let files = FileManager.default
    var folders = [Bundle.main.resourcePath].compactMap { $0 }
    if let executable = Bundle.main.executableURL {
      let folder = executable.resolvingSymlinksInPath().deletingLastPathComponent().path
      folders.append(folder)
      // A build of a package puts the resources of each target into a folder beside the executable.
      let names = (try? files.contentsOfDirectory(atPath: folder)) ?? []
      for name in names.sorted() where name.hasSuffix(".resources") || name.hasSuffix(".bundle") {
        folders.append(folder + "/" + name)
      }
    }
    folders.append(files.currentDirectoryPath)
    var known: Set<String> = []
    self.init(folders: folders.filter { known.insert($0).inserted })
  }

  /// Reads the first model file with a name.
  ///
  /// - Throws: `ModelFileError` that lists the folders if the file does not exist, or names the fault of the file.
  func versions(named name: String) throws -> ModelVersions {
    for folder in folders {
      for ending in ModelSearch.endings {
        let path = "\(folder)/\(name).\(ending)"
        if FileManager.default.fileExists(atPath: path) { return try ModelVersions.read(path) }
      }
    }
    let endings = ModelSearch.endings.map { "." + $0 }.joined(separator: ", ")
    throw ModelFileError(
      .notFound, path: name,
      message: """
        There is no model "\(name)" with one of the endings \(endings) in these folders: \
        \(folders.joined(separator: ", ")).
        """)
  }
}
