/// The modules of the manifest in its order, with the imports of each module.
struct ModuleArrows {
  let modules: [String]
  let imports: [String: [String]]

  /// - Parameter package: The manifest.
  init(package: SourceFile) {
    let text = package.lines.joined(separator: " ")
    let target =
      #/(?:(module|support|program|system)\(|\.(?:target|macro)\(\s*name:)\s*"([\w-]+)"(?:,\s*(?:dependencies:\s*\[([^\]]*)\]|"(?:"")?([^"]*)"))?/#
    var modules: [String] = []
    var imports: [String: [String]] = [:]
    for match in text.matches(of: target) {
      let name = String(match.2)
      modules.append(name)
      let list = match.3 ?? (match.1 == "system" ? nil : match.4) ?? ""
      imports[name] = list.matches(of: #/\w+/#).map { String($0.0) }
    }
    self.modules = modules
    self.imports = imports
  }

  /// Returns the modules that a module imports, directly or indirectly.
  func reachable(from module: String) -> Set<String> {
    var found: Set<String> = []
    var next = imports[module] ?? []
    while let one = next.popLast() {
      if found.insert(one).inserted { next += imports[one] ?? [] }
    }
    return found
  }
}

/// The page that shows the arrows. Its table has a row for each module, with the imports from the manifest and with the
/// description from the page.
struct ArrowTable {
  let arrows: ModuleArrows

  /// Returns the page with the imports of the manifest.
  func page(from page: SourceFile) -> String {
    page.lines.map { line in
      guard let (module, words) = ArrowTable.row(line), arrows.imports[module] != nil else {
        return line
      }
      return row(of: module, words)
    }.joined(separator: "\n")
  }

  /// Returns the modules of the manifest without a row of the page.
  func missing(in page: SourceFile) -> [String] {
    let shown = Set(page.lines.compactMap { ArrowTable.row($0)?.module })
    return arrows.modules.filter { !shown.contains($0) }
  }

  private func row(of module: String, _ words: String) -> String {
    let imports = arrows.imports[module] ?? []
    let names = imports.map { "`\($0)`" }.joined(separator: ", ")
    return "| `\(module)` | \(names.isEmpty ? "—" : names) | \(words) |"
  }

  /// Returns the module and the description in a table row. The cell between the two contains the imports.
  private static func row(_ line: String) -> (module: String, words: String)? {
    line.wholeMatch(of: #/\| `([\w-]+)` \| [^|]* \| ([^|]*) \|/#).map {
      (String($0.1), String($0.2))
    }
  }
}

/// A drawing of the arrows, with each module above its imports. Arrows that follow from a longer path are left out.
struct ArrowDrawing {
  private let arrows: ModuleArrows
  private let layers: [[String]]
  private let places: [String: (x: Int, y: Int)]
  private static let (width, height) = (132, 26)
  private static let (columnStep, layerStep) = (146, 74)

  /// - Parameter isShown: Whether a module is part of the drawing.
  init(_ arrows: ModuleArrows, where isShown: (String) -> Bool) {
    let shown = arrows.modules.filter(isShown)
    self.arrows = arrows
    var depths: [String: Int] = [:]
    func depth(_ module: String) -> Int {
      if let known = depths[module] { return known }
      let beneath = arrows.reachable(from: module).filter(shown.contains)
      let depth = (beneath.map { depth($0) }.max() ?? -1) + 1
      depths[module] = depth
      return depth
    }
    var layers: [[String]] = []
    for module in shown {
      let depth = depth(module)
      while layers.count <= depth { layers.append([]) }
      layers[depth].append(module)
    }
    let drawn = ArrowDrawing.direct(arrows, among: Set(shown))
    self.layers = ArrowDrawing.arranged(layers, drawn)
    let widest = self.layers.map(\.count).max() ?? 0
    var places: [String: (x: Int, y: Int)] = [:]
    for (depth, layer) in self.layers.enumerated() {
      let start = (widest - layer.count) * ArrowDrawing.columnStep / 2
      for (index, module) in layer.enumerated() {
        places[module] = (
          10 + start + index * ArrowDrawing.columnStep,
          10 + (self.layers.count - 1 - depth) * ArrowDrawing.layerStep
        )
      }
    }
    self.places = places
    self.drawn = drawn
  }
  private let drawn: [String: [String]]

  /// Returns the imports that do not follow from a longer path of imports.
  private static func direct(_ arrows: ModuleArrows, among shown: Set<String>) -> [String: [String]]
  {
    var direct: [String: [String]] = [:]
    for module in shown {
      let imports = (arrows.imports[module] ?? []).filter(shown.contains)
      let through = imports.reduce(into: Set<String>()) { $0.formUnion(arrows.reachable(from: $1)) }
      direct[module] = imports.filter { !through.contains($0) }
    }
    return direct
  }

  /// Returns the layers, with each module near the modules that it imports.
  private static func arranged(
    _ layers: [[String]], _ drawn: [String: [String]]
  ) -> [[String]] {
    var layers = layers
    for depth in layers.indices.dropFirst() {
      var positions: [String: Double] = [:]
      for layer in layers[..<depth] {
        for (index, module) in layer.enumerated() {
          positions[module] = Double(index) - Double(layer.count) / 2
        }
      }
      func wish(_ module: String) -> Double {
        let places = (drawn[module] ?? []).compactMap { positions[$0] }
        return places.isEmpty ? 0 : places.reduce(0, +) / Double(places.count)
      }
      layers[depth] = layers[depth].enumerated().sorted {
        (wish($0.element), $0.offset) < (wish($1.element), $1.offset)
      }.map(\.element)
    }
    return layers
  }

  var svg: String {
    let (width, height) = (ArrowDrawing.width, ArrowDrawing.height)
    let right = (places.values.map(\.x).max() ?? 0) + width + 10
    let bottom = (places.values.map(\.y).max() ?? 0) + height + 10
    var lines = [
      #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(right) \#(bottom)" font-family="sans-serif" font-size="12">"#,
      "<style>",
      "rect { fill: #eef3fb; stroke: #5b7db1; } path { fill: none; stroke: #9aa7b8; } text { fill: #1d2733; }",
      "@media (prefers-color-scheme: dark) {",
      "  rect { fill: #22303f; stroke: #7fa3d8; } path { stroke: #66758a; } text { fill: #e6edf5; }",
      "}",
      "</style>",
    ]
    for layer in layers.reversed() {
      for module in layer {
        for other in drawn[module] ?? [] {
          guard let from = places[module], let to = places[other] else { continue }
          let (x1, y1) = (from.x + width / 2, from.y + height)
          let (x2, y2) = (to.x + width / 2, to.y)
          let middle = (y1 + y2) / 2
          lines.append(
            #"<path d="M\#(x1) \#(y1) C\#(x1) \#(middle) \#(x2) \#(middle) \#(x2) \#(y2)"/>"#)
        }
      }
    }
    for module in layers.joined() {
      guard let place = places[module] else { continue }
      lines.append(
        #"<rect x="\#(place.x)" y="\#(place.y)" width="\#(width)" height="\#(height)" rx="5"/>"#
          + #"<text x="\#(place.x + width / 2)" y="\#(place.y + 17)" text-anchor="middle">\#(module)</text>"#
      )
    }
    return (lines + ["</svg>", ""]).joined(separator: "\n")
  }
}
