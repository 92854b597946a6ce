// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Recipes",
  dependencies: [.package(name: "quire", path: "../..")],
  targets: [
    .executableTarget(
      name: "recipes",
      dependencies: [.product(name: "Quire", package: "quire")],
      plugins: [.plugin(name: "GenerateModel", package: "quire")])
  ]
)
