import PackagePlugin

/// Generates the typed classes of each model in a target while the target is built.
///
///     .target(
///       name: "Trips",
///       dependencies: [.product(name: "Quire", package: "quire")],
///       plugins: [.plugin(name: "GenerateModel", package: "quire")])
///
/// A model is a `.xcdatamodeld` or `.xcdatamodel` anywhere in the target's folder. All classes of a model are in one
/// file, because SwiftPM needs the names of files before the model is read. A `GenerateModel.json` in the target's
/// folder contains options that the models lack; docs/typed-classes.md describes it.
@main
struct GenerateModel: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) async throws -> [Command] {
    let models = try TargetModels(in: target.directoryURL)
    if models.isEmpty {
      Diagnostics.warning("The target '\(target.name)' has no .xcdatamodeld and no .xcdatamodel.")
    }
    let tool = try context.tool(named: "quire-classes").url
    return models.makings(
      into: context.pluginWorkDirectoryURL, module: target.sourceModule?.moduleName
    ).map { making in
      .buildCommand(
        displayName: "Generating the classes of \(making.model.lastPathComponent)",
        executable: tool,
        arguments: making.arguments, inputFiles: making.inputs, outputFiles: [making.output])
    }
  }
}
