import Foundation
import Testing

/// The arrows between the modules. `Package.swift` declares the arrows, the imports use them, and docs/architecture.md
/// shows them in a table and a drawing that are made from the manifest. `RECORD_SNAPSHOTS=1` rewrites both.
@Suite("Arrows")
struct ArrowsTests {
  private static let page = "docs/architecture.md"
  private static let drawing = "docs/architecture.svg"

  /// Returns whether a module is part of the drawing: a Swift module of `Sources` or `Plugins`, without benchmarks and
  /// modules that only export a symbol.
  private static func isDrawn(_ module: String) -> Bool {
    !isC(module) && !module.hasSuffix("Export") && !module.hasPrefix("quire-bench")
      && ["Sources", "Plugins"].contains { folder in
        FileManager.default.fileExists(
          atPath: House.root.appending(path: "\(folder)/\(module)").path)
      }
  }

  @Test("docs/architecture.md shows the arrows of Package.swift")
  func shown() throws {
    let arrows = ModuleArrows(package: try House.file("Package.swift"))
    #expect(arrows.modules.count > 10, "The targets of Package.swift are written in a new way.")
    let page = try House.file(Self.page)
    let table = ArrowTable(arrows: arrows)
    let missing = table.missing(in: page)
    #expect(missing.isEmpty, "\(Self.page) has no row for \(missing).")

    try expect(table.page(from: page), in: Self.page)
    try expect(ArrowDrawing(arrows, where: Self.isDrawn).svg, in: Self.drawing)
  }

  private func expect(_ made: String, in path: String) throws {
    let url = House.root.appending(path: path)
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
      try Data(made.utf8).write(to: url)
    }
    let kept = try String(contentsOf: url, encoding: .utf8)
    #expect(
      made == kept, "\(path) differs from Package.swift: run the tests with RECORD_SNAPSHOTS=1.")
  }

  @Test("A module imports only declared dependencies, and uses each of them")
  func importedAsDeclared() throws {
    let declared = try declaredArrows(in: House.file("Package.swift"))
    let findings = foreignImports(
      in: House.swift(in: "Sources", "Fuzz/FuzzDriver", "Benchmarks", "Tests/Support", "Plugins"),
      declared: declared)
    let idle = idleArrows(
      in: House.swift(in: "Sources", "Fuzz/FuzzDriver", "Benchmarks", "Tests/Support", "Plugins"),
      declared: declared)

    #expect(findings.isEmpty, "\(list(findings))")
    #expect(idle.isEmpty, "Declared, but imported by no file: \(idle.joined(separator: ", "))")
  }

  @Test("Of the modules of programs, only the conformance tests import the simulated disk")
  func simulationOnlyInTests() {
    let importing = House.swift(in: "Sources", "Plugins").filter { file in
      imports(of: file).contains { $0.module == "DiskSimulation" }
    }

    #expect(
      Set(importing.map { $0.folders[1] }) == ["StoreConformance"], "\(importing.map(\.path))")
  }

  @Test("The arrows contain no cycle")
  func oneWay() throws {
    let cycle = cycle(in: try declaredArrows(in: House.file("Package.swift")))

    #expect(cycle == nil)
  }

  @Test("The tool links no database: stores in databases are the business of plug-ins")
  func noDatabase() throws {
    let declared = try declaredArrows(in: House.file("Package.swift"))
    var reached: Set<String> = []
    var next = ["quire-cli"]
    while let module = next.popLast() {
      for arrow in declared[module] ?? [] where reached.insert(arrow).inserted {
        next.append(arrow)
      }
    }

    #expect(reached.isSuperset(of: ["ToolCommands", "Validation", "DurableFiles"]))
    #expect(
      reached.isDisjoint(with: [
        "SQLiteStore", "SQLiteFiles", "CSQLite3", "PostgreSQLStore", "PostgreSQLConnection",
        "CPostgreSQL",
      ]))
  }

  @Test("A C library is imported only by its wrapper")
  func oneWrapper() throws {
    let shared = sharedCModules(in: try declaredArrows(in: House.file("Package.swift")))

    #expect(shared.isEmpty, "Wrapped in more than one place: \(shared.joined(separator: ", "))")
  }

  @Test("Each of these rules reports a violation")
  func canFail() {
    let package = SourceFile(
      "Package.swift",
      #"""
      .target(name: "CGround"),
      system("CSystem", "system", apt: "system-dev", brew: "system", at: "Sources/Base/CSystem"),
      module("Base", "CGround CSystem", exclude: ["CSystem"]),
      module(
        "Top",
        """
        Base \
        CGround
        """),
      tests("TopTests", "Top"),
      """#)
    let declared = declaredArrows(in: package)
    let sources = [
      SourceFile("Sources/Base/Base.swift", "public import Top\n@preconcurrency import CGround"),
      SourceFile("Sources/Top/Top.swift", "import struct Base.Thing\nimport Foundation"),
    ]
    let table = ArrowTable(arrows: ModuleArrows(package: package))
    let page = SourceFile(
      "docs/architecture.md", "| `Top` | `Base` | what it is |\n| `Base` | — | what it is |")

    #expect(
      declared == [
        "CGround": [], "CSystem": [], "Base": ["CGround", "CSystem"], "Top": ["Base", "CGround"],
      ])
    #expect(
      table.page(from: page)
        == "| `Top` | `Base`, `CGround` | what it is |\n| `Base` | `CGround`, `CSystem` | what it is |"
    )
    #expect(table.missing(in: page) == ["CGround", "CSystem"])
    let svg = ArrowDrawing(table.arrows) { $0 != "CSystem" }.svg
    #expect(svg.components(separatedBy: "<rect").count == 4)
    // The arrow from Top to CGround is left out, because Base connects them.
    #expect(svg.components(separatedBy: "<path").count == 3)
    #expect(
      foreignImports(in: sources, declared: declared).map(\.description)
        == ["Sources/Base/Base.swift:1: Base must not import Top."])
    #expect(idleArrows(in: sources, declared: declared) == ["Base <- CSystem", "Top <- CGround"])
    let macros = SourceFile(
      "Sources/Top/Macros.swift", "macro M() = #externalMacro(module: \"CGround\", type: \"M\")")
    #expect(idleArrows(in: sources + [macros], declared: declared) == ["Base <- CSystem"])
    #expect(sharedCModules(in: declared) == ["CGround"])
    #expect(cycle(in: declared) == nil)
    #expect(cycle(in: ["A": ["B"], "B": ["C"], "C": ["A"]]) != nil)
  }
}

// MARK: - Reading

/// Returns the dependencies of each module, read from the target declarations of a package manifest.
private func declaredArrows(in package: SourceFile) -> [String: Set<String>] {
  ModuleArrows(package: package).imports.mapValues { Set($0) }
}

/// Returns the modules that a file imports, with the lines of the imports.
private func imports(of file: SourceFile) -> [(line: Int, module: String)] {
  file.lines(with: "import ").compactMap { number, text in
    let pattern =
      #/\s*(?:@\w+(?:\([^)]*\))? )*(?:(?:public|package|internal|private|fileprivate) )?import (?:(?:struct|class|enum|func|protocol|typealias|var|let) )?(\w+).*/#
    return text.wholeMatch(of: pattern).map { (number, String($0.1)) }
  }
}

/// Returns the modules whose macros a file declares.
private func macroModules(of file: SourceFile) -> [String] {
  file.lines(with: "#externalMacro(module: ").compactMap { _, text in
    text.firstMatch(of: #/#externalMacro\(module: "(\w+)"/#).map { String($0.1) }
  }
}

// MARK: - Finding forbidden imports

/// Returns imports of modules of this package that the importing module does not declare.
private func foreignImports(
  in files: [SourceFile], declared: [String: Set<String>]
) -> [Finding] {
  files.flatMap { file in
    let module = file.module
    return imports(of: file).filter { declared[$0.module] != nil }
      .filter { !declared[module, default: []].contains($0.module) }
      .map { Finding(file, $0.line, "\(module) must not import \($0.module).") }
  }
}

/// Returns declared dependencies that no file of their module imports. A C header includes its dependencies.
private func idleArrows(in files: [SourceFile], declared: [String: Set<String>]) -> [String] {
  var used: [String: Set<String>] = [:]
  for file in files {
    used[file.module, default: []].formUnion(imports(of: file).map(\.module))
    used[file.module, default: []].formUnion(macroModules(of: file))
  }
  return declared.filter { !isC($0.key) }.flatMap { module, dependencies in
    dependencies.subtracting(used[module, default: []]).map { "\(module) <- \($0)" }
  }.sorted()
}

/// Returns a module of a cycle, or `nil`.
private func cycle(in arrows: [String: Set<String>]) -> String? {
  // Removes modules without remaining dependencies until no such module is left.
  var left = arrows
  while let free = left.first(where: { $0.value.allSatisfy { left[$0] == nil } }) {
    left[free.key] = nil
  }
  return left.keys.min()
}

/// Returns C modules that more than one module depends on. `CArrow` and `CStorePlugin` may be shared, because they only
/// declare structures that modules exchange.
private func sharedCModules(in arrows: [String: Set<String>]) -> [String] {
  // These modules use SQLite without this package's wrapper, to measure a peer and to make broken databases.
  let house = arrows.filter { !["quire-bench", "SQLText"].contains($0.key) }
  return arrows.keys.filter { name in
    !["CArrow", "CQuire", "CStorePlugin"].contains(name) && isC(name)
      && house.values.count { $0.contains(name) } > 1
  }.sorted()
}

private func isC(_ module: String) -> Bool { module.wholeMatch(of: #/C[A-Z].*/#) != nil }
