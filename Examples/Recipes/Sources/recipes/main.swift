import Foundation
import Quire

// Creates a cookbook with version 1 of its model, and opens the cookbook with every other version. The first argument is the
// path of the file; without an argument, the program creates a new file.

let path =
  CommandLine.arguments.dropFirst().first
  ?? FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).store").path
let versions = [KnownVersion](RecipesModel.versions)

do {
  try makeCookbook(at: path, versions[0])
  try tellFits(of: path, versions)
  try addRecipe(to: path, versions[1])
  try openWithoutMigration(path, versions[2])
  try migrate(path, to: versions[2], knowing: versions)
  try listRecipes(of: path)
} catch {
  FileHandle.standardError.write(Data("error: \(error)\n".utf8))
  exit(1)
}
