import Quire

/// Tells which versions a store is of, by the version hashes that it holds. No row is read for that.
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

/// Brings a store to a version, after saying what that takes.
func migrate(
  _ path: String, to version: KnownVersion, knowing versions: [KnownVersion]
) throws {
  let migrator = Migrator(knowing: versions)
  print(try migrator.plan(forStoreAt: path, to: version.model, in: .builtIn))
  try migrator.migrate(storeAt: path, to: version.model, in: .builtIn)
  try tellFits(of: path, versions)
}
