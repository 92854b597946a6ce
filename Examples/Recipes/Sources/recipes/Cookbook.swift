import Quire

/// Opens the cookbook with one version of the model, and returns a context over it.
private func context(
  on path: String, _ version: KnownVersion
) throws -> ManagedObjectContext {
  let coordinator = PersistentStoreCoordinator(
    model: version.model, classes: RecipesModel.classes)
  try coordinator.addStore(at: path)
  return ManagedObjectContext(coordinator, concurrency: .confined)
}

/// Creates a cookbook with two recipes.
func makeCookbook(at path: String, _ version: KnownVersion) throws {
  let context = try context(on: path, version)
  for (name, ingredients) in [
    ("Pancakes", ["flour", "milk", "eggs"]), ("Lentil soup", ["lentils"]),
  ] {
    let recipe = try context.insert(Recipe.self) { $0.name = name }
    for name in ingredients {
      recipe.add(try context.insert(Ingredient.self) { $0.name = name }, to: \.ingredients)
    }
  }
  try context.save()
  print("A cookbook of \"\(version.name)\" has 2 recipes.")
}

/// Adds a recipe with a name that is longer than version 1 allows. The number of servings is the version's default.
func addRecipe(to path: String, _ version: KnownVersion) throws {
  let context = try context(on: path, version)
  let recipe = try context.insert(Recipe.self) { $0.name = "Potatoes in their jackets" }
  try context.save()
  print("\"\(version.name)\" opens it as it is, and adds a recipe for \(recipe.servings).")
}

/// Tries to open the cookbook with a version that does not match the store.
func openWithoutMigration(_ path: String, _ version: KnownVersion) throws {
  do {
    _ = try context(on: path, version)
    print("\"\(version.name)\" opens it as it is.")
  } catch let error as ContextError where error.code == .incompatibleModel {
    print("\"\(version.name)\" does not open it as it is.")
  }
}

/// Prints all recipes, as the current version of the model shows them.
func listRecipes(of path: String) throws {
  let context = try context(on: path, KnownVersion("", RecipesModel.model))
  for recipe in try context.fetch(Recipe.all.sorted(by: \.name)) {
    let names = recipe.ingredients.map(\.name)
    print(
      "  \(recipe.name), for \(recipe.servings)\(names.isEmpty ? "" : ": ")"
        + names.joined(separator: ", "))
  }
}
