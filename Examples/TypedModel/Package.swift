// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "TypedModel",
  dependencies: [.package(name: "quire", path: "../..")],
  targets: [
    .executableTarget(
      name: "books",
      dependencies: [.product(name: "Quire", package: "quire")],
      plugins: [.plugin(name: "GenerateModel", package: "quire")])
  ]
)
