// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "JSONStore",
  products: [.library(name: "JSONStore", type: .dynamic, targets: ["JSONStore"])],
  dependencies: [.package(name: "quire", path: "../..")],
  targets: [
    .target(
      name: "JSONStore", dependencies: [.product(name: "PluginSupport", package: "quire")]),
    .testTarget(
      name: "JSONStoreTests",
      dependencies: [
        "JSONStore", .product(name: "StoreConformance", package: "quire"),
        .product(name: "DiskSimulation", package: "quire"),
      ]),
  ]
)
