import Quire

/// Prints which versions of the model match a store, by the version hashes in the store's metadata. No row is read.
func tellFits(of path: String, _ versions: [KnownVersion]) throws {
  let hashes = try StorePlaces.builtIn.metadata(at: path).versionHashes ?? [:]
  for version in versions {
    let recipe = version.model.versionHash(of: "Recipe")!
    let answer =
      version.fits(hashes)
      ? "fits" : "does not fit, \(version.model.differences(from: hashes))"
    print("  \(version.name): Recipe \("\(recipe)".prefix(8)), \(answer)")
  }
}

/// Migrates a store to a version, after printing the plan of the migration.
func migrate(
  _ path: String, to version: KnownVersion, knowing versions: [KnownVersion]
) throws {
  let migrator = Migrator(knowing: versions)
  print(try migrator.plan(forStoreAt: path, to: version.model, in: .builtIn))
  try migrator.migrate(storeAt: path, to: version.model, in: .builtIn)
  try tellFits(of: path, versions)
}
