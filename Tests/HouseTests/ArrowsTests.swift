import Testing

/// The house's arrows, written down three times: drawn in docs/architecture.md, declared in
/// Package.swift, used by the imports. This holds the three together.
@Suite("Arrows")
struct ArrowsTests {
  @Test("Package.swift declares exactly the arrows that docs/architecture.md draws")
  func declaredAsDrawn() throws {
    let declared = try declaredArrows(in: House.file("Package.swift"))
    let drawn = try drawnArrows(in: House.file("docs/architecture.md"))

    #expect(declared.count > 10, "The targets of Package.swift are written in a new way.")
    for module in Set(declared.keys).union(drawn.keys).sorted() {
      #expect(
        declared[module] == drawn[module],
        "\(module): Package.swift against the table of docs/architecture.md")
    }
  }

  @Test("A module imports only what it declares, and declares nothing in vain")
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

  @Test("No arrows lead back")
  func oneWay() throws {
    let cycle = cycle(in: try declaredArrows(in: House.file("Package.swift")))

    #expect(cycle == nil)
  }

  @Test("A C library is imported by its one wrapper")
  func oneWrapper() throws {
    let shared = sharedCModules(in: try declaredArrows(in: House.file("Package.swift")))

    #expect(shared.isEmpty, "Wrapped in more than one place: \(shared.joined(separator: ", "))")
  }

  @Test("Each of these rules can fail")
  func canFail() {
    let package = SourceFile(
      "Package.swift",
      """
      .target(name: "CGround"),
      .systemLibrary(
        name: "CSystem", path: "Sources/Base/CSystem"),
      .target(
        name: "Base", dependencies: ["CGround", "CSystem"], exclude: ["CSystem"]),
      module("Top", ["Base", "CGround"]),
      tests("TopTests", ["Top"]),
      """)
    let declared = declaredArrows(in: package)
    let sources = [
      SourceFile("Sources/Base/Base.swift", "public import Top\n@preconcurrency import CGround"),
      SourceFile("Sources/Top/Top.swift", "import struct Base.Thing\nimport Foundation"),
    ]
    let page = SourceFile(
      "docs/architecture.md", "| `Top` | `Base` | what it is |\n| `Base` | — | what it is |")

    #expect(
      declared == [
        "CGround": [], "CSystem": [], "Base": ["CGround", "CSystem"], "Top": ["Base", "CGround"],
      ])
    #expect(drawnArrows(in: page) == ["Top": ["Base"], "Base": []])
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

/// The dependencies of each module, read from the target declarations of a package manifest.
private func declaredArrows(in package: SourceFile) -> [String: Set<String>] {
  let text = package.lines.joined(separator: " ")
  let target =
    #/(?:module\(|\.target\(\s*name:|\.systemLibrary\(\s*name:|\.executableTarget\(\s*name:|\.macro\(\s*name:)\s*"([\w-]+)"(?:,\s*(?:dependencies:\s*)?\[([^\]]*)\])?/#
  var arrows: [String: Set<String>] = [:]
  for match in text.matches(of: target) {
    arrows[String(match.1)] = Set((match.2 ?? "").matches(of: #/"(\w+)"/#).map { String($0.1) })
  }
  return arrows
}

/// The dependencies of each module, read from the rows "| `module` | `what`, `it`, `imports` |".
private func drawnArrows(in page: SourceFile) -> [String: Set<String>] {
  var arrows: [String: Set<String>] = [:]
  for line in page.lines {
    guard let match = line.wholeMatch(of: #/\| `([\w-]+)` \| ([^|]*) \|.*/#) else { continue }
    arrows[String(match.1)] = Set(match.2.matches(of: #/`(\w+)`/#).map { String($0.1) })
  }
  return arrows
}

/// The modules a file imports, with the lines that do.
private func imports(of file: SourceFile) -> [(line: Int, module: String)] {
  file.lines(with: "import ").compactMap { number, text in
    let pattern =
      #/\s*(?:@\w+(?:\([^)]*\))? )*(?:(?:public|package|internal|private|fileprivate) )?import (?:(?:struct|class|enum|func|protocol|typealias|var|let) )?(\w+).*/#
    return text.wholeMatch(of: pattern).map { (number, String($0.1)) }
  }
}

/// The modules whose macros a file declares.
private func macroModules(of file: SourceFile) -> [String] {
  file.lines(with: "#externalMacro(module: ").compactMap { _, text in
    text.firstMatch(of: #/#externalMacro\(module: "(\w+)"/#).map { String($0.1) }
  }
}

// MARK: - Judging

/// Imports of modules of the house that the importing module does not declare.
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

/// Declared dependencies that no file of their module imports. A header includes, and imports nothing.
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

/// A module that leads back to itself.
private func cycle(in arrows: [String: Set<String>]) -> String? {
  // Takes away what depends on nothing that is left, until nothing more can go.
  var left = arrows
  while let free = left.first(where: { $0.value.allSatisfy { left[$0] == nil } }) {
    left[free.key] = nil
  }
  return left.keys.min()
}

/// C modules that more than one module depends on. `CArrow` and `CStorePlugin` may be shared: they are no
/// libraries, but the layout of structures that several hand to one another.
private func sharedCModules(in arrows: [String: Set<String>]) -> [String] {
  // A peer is measured, and a broken database made, without what our own code does with it.
  let house = arrows.filter { !["quire-bench", "SQLText"].contains($0.key) }
  return arrows.keys.filter { name in
    !["CArrow", "CStorePlugin"].contains(name) && isC(name)
      && house.values.count { $0.contains(name) } > 1
  }.sorted()
}

private func isC(_ module: String) -> Bool { module.wholeMatch(of: #/C[A-Z].*/#) != nil }
