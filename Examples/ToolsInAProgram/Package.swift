// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "ToolsInAProgram",
  dependencies: [.package(name: "quire", path: "../..")],
  targets: [
    .executableTarget(
      name: "trips",
      dependencies: [
        .product(name: "Quire", package: "quire"), .product(name: "QuireTools", package: "quire"),
      ])
  ]
)
