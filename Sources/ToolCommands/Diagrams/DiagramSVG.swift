import CommandInterface
import EmbeddedFiles

/// The drawing of a model's diagram as SVG, without a script and without fonts of its own.
struct DiagramSVG {
  private let diagram: ModelDiagram
  private let layout: DiagramLayout

  private static let lineHeight = 17.0
  private static let headerHeight = 26.0
  /// The mean width of a character of the usual fonts, at the size of the texts.
  private static let characterWidth = 7.0
  /// The most attributes that a box shows.
  private static let mostAttributes = 14

  init(_ diagram: ModelDiagram) {
    self.diagram = diagram
    layout = DiagramLayout(
      diagram.boxes.map(Self.size), lines: diagram.lines.map { ($0.from, $0.to) })
  }

  private static func size(of box: ModelDiagram.Box) -> DiagramLayout.Size {
    let texts =
      [box.name + "  "] + shown(box).map { $0.type.isEmpty ? $0.name : "\($0.name): \($0.type)" }
    let width = texts.map { Double($0.displayWidth) }.max()! * characterWidth + 20
    let height = headerHeight + Double(shown(box).count) * lineHeight + (shown(box).isEmpty ? 0 : 8)
    return .init(width: max(90, min(width, 340)), height: height)
  }

  /// The attributes that a box shows, and a line with the number of the others.
  private static func shown(_ box: ModelDiagram.Box) -> [(name: String, type: String)] {
    guard box.attributes.count > mostAttributes else { return box.attributes }
    let others = box.attributes.count - mostAttributes + 1
    return box.attributes.prefix(mostAttributes - 1) + [("\(others) more attributes", "")]
  }

  /// The SVG text. It adapts to light and dark backgrounds.
  var text: String {
    let (width, height) = (Self.number(layout.size.width), Self.number(layout.size.height))
    var svg = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" \
      role="img" aria-label="Entities and relationships of the model" font-family="system-ui, sans-serif" font-size="12">
      <style>
      \(EmbeddedFile.text("diagram.css"))</style>
      <defs><marker id="inherits" viewBox="0 0 12 12" refX="11" refY="6" markerWidth="12" markerHeight="12" \
      orient="auto-start-reverse"><path class="b" d="M1 1 L11 6 L1 11 Z"/></marker>
      <marker id="leads" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" \
      orient="auto-start-reverse"><path class="l" d="M1 1 L9 5 L1 9"/></marker></defs>
      <rect class="g" width="100%" height="100%"/>

      """
    for (index, line) in diagram.lines.enumerated() { svg += self.line(line, index) }
    for (index, box) in diagram.boxes.enumerated() { svg += self.box(box, layout.frames[index]) }
    // The texts of lines come last, so that no box covers them.
    for (index, line) in diagram.lines.enumerated() { svg += labels(line, index) }
    return svg + "</svg>\n"
  }

  private func box(_ box: ModelDiagram.Box, _ frame: DiagramLayout.Frame) -> String {
    let (x, y) = (frame.x, frame.y)
    let clip = "c\(Self.number(x))-\(Self.number(y))"
    var svg = "<g><clipPath id=\"\(clip)\">\(rect(frame, ""))</clipPath>"
    svg += rect(frame, "b")
    svg += rect(.init(x: x, y: y, width: frame.width, height: Self.headerHeight), "h")
    let style = box.isAbstract ? " font-style=\"italic\"" : ""
    svg +=
      "<g clip-path=\"url(#\(clip))\"><text class=\"t\" x=\"\(Self.number(frame.middleX))\" y=\"\(Self.number(y + 18))\" "
      + "text-anchor=\"middle\" font-weight=\"600\"\(style)>\(ModelDiagram.markup(box.name))</text>"
    for (row, attribute) in Self.shown(box).enumerated() {
      let place =
        "x=\"\(Self.number(x + 10))\" y=\"\(Self.number(y + Self.headerHeight + 17 + Double(row) * Self.lineHeight))\""
      let name = ModelDiagram.markup(attribute.name)
      svg +=
        attribute.type.isEmpty
        ? "<text class=\"m\" \(place)>\(name)</text>"
        : "<text class=\"t\" \(place)>\(name)<tspan class=\"m\">: \(ModelDiagram.markup(attribute.type))</tspan></text>"
    }
    return svg + "</g></g>\n"
  }

  private func rect(_ frame: DiagramLayout.Frame, _ style: String) -> String {
    "<rect\(style.isEmpty ? "" : " class=\"\(style)\"") x=\"\(Self.number(frame.x))\" y=\"\(Self.number(frame.y))\" "
      + "width=\"\(Self.number(frame.width))\" height=\"\(Self.number(frame.height))\" rx=\"4\"/>"
  }

  // MARK: - Lines

  /// The ends of a line: a point at the side of each box, and the direction in which the line leaves it.
  private struct Ends {
    var from: (x: Double, y: Double, direction: Double)
    var to: (x: Double, y: Double, direction: Double)
  }

  private func ends(of line: ModelDiagram.Line, _ index: Int) -> Ends {
    let (from, to) = (layout.frames[line.from], layout.frames[line.to])
    let fromY = y(of: index, at: line.from)
    let toY = y(of: index, at: line.to)
    if line.from == line.to {
      // A loop at the right side of the box.
      return Ends(
        from: (from.x + from.width, from.y + from.height * 0.3, 1),
        to: (from.x + from.width, from.y + from.height * 0.3 + 28, 1))
    }
    if to.x >= from.x + from.width {
      return Ends(from: (from.x + from.width, fromY, 1), to: (to.x, toY, -1))
    }
    if to.x + to.width <= from.x {
      return Ends(from: (from.x, fromY, -1), to: (to.x + to.width, toY, 1))
    }
    // Both boxes are in one column, so the line leaves and comes back at the right.
    return Ends(from: (from.x + from.width, fromY, 1), to: (to.x + to.width, toY, 1))
  }

  /// Returns the height at which a line meets a box. The lines of a box are distributed over its height, in the order of
  /// the boxes at their other ends.
  private func y(of line: Int, at box: Int) -> Double {
    let frame = layout.frames[box]
    let lines = diagram.lines.indices.filter { index in
      let one = diagram.lines[index]
      return (one.from == box) != (one.to == box)
    }
    let others = lines.map { index -> (Double, Int) in
      let one = diagram.lines[index]
      return (layout.frames[one.from == box ? one.to : one.from].middleY, index)
    }.sorted(by: <)
    let place = others.firstIndex { $0.1 == line } ?? 0
    let share = Double(place + 1) / Double(others.count + 1)
    return frame.y + frame.height * share
  }

  private func line(_ line: ModelDiagram.Line, _ index: Int) -> String {
    let ends = ends(of: line, index)
    let isLoop = ends.from.direction == ends.to.direction
    let reach = isLoop ? 60 : max(40, abs(ends.to.x - ends.from.x) * 0.45)
    func point(_ x: Double, _ y: Double) -> String { "\(Self.number(x)) \(Self.number(y))" }
    let path =
      "M\(point(ends.from.x, ends.from.y)) C\(point(ends.from.x + ends.from.direction * reach, ends.from.y)) "
      + "\(point(ends.to.x + ends.to.direction * reach, ends.to.y)) \(point(ends.to.x, ends.to.y))"
    let marker =
      switch line.kind {
      case .inheritance: " marker-end=\"url(#inherits)\""
      case .relationship: line.inverse.isEmpty ? " marker-end=\"url(#leads)\"" : ""
      }
    return "<path class=\"l\" d=\"\(path)\"\(marker)/>\n"
  }

  /// Returns the names of a relationship and its inverse, each at the end to which it leads.
  private func labels(_ line: ModelDiagram.Line, _ index: Int) -> String {
    guard line.kind == .relationship else { return "" }
    let ends = ends(of: line, index)
    func label(
      _ name: String, _ count: String, _ end: (x: Double, y: Double, direction: Double)
    ) -> String {
      guard !name.isEmpty else { return "" }
      let anchor = end.direction > 0 ? "start" : "end"
      return
        "<text class=\"e\" x=\"\(Self.number(end.x + end.direction * 6))\" y=\"\(Self.number(end.y - 4))\" "
        + "text-anchor=\"\(anchor)\" font-size=\"11\">\(ModelDiagram.markup(name)) \(count)</text>\n"
    }
    return label(line.name, line.count, ends.to) + label(line.inverse, line.inverseCount, ends.from)
  }

  /// Returns a number with at most one digit after the point.
  private static func number(_ value: Double) -> String {
    let rounded = (value * 10).rounded() / 10
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
  }
}
