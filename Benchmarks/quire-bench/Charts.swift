import Foundation

/// Bars on a logarithmic scale around 1, in groups, as an SVG picture.
struct BarChart {
  struct Bar {
    let name: String
    let value: Double
  }

  struct Group {
    let name: String
    let bars: [Bar]
  }

  let title: String
  let series: [String]
  let groups: [Group]

  static let colours = ["#2f6fb0", "#7aa7d4", "#3c8d5a", "#c98a2b", "#8a8a8a", "#b04a4a"]

  var svg: String {
    let (left, width, barHeight) = (270.0, 640.0, 13.0)
    let values: [Double] = groups.flatMap { $0.bars.map(\.value) } + [1]
    let low: Double = log10(values.min()!).rounded(.down)
    let high: Double = max(log10(values.max()!).rounded(.up), low + 1)
    func x(_ value: Double) -> Double { left + (log10(value) - low) / (high - low) * width }
    var (y, body) = (70.0, "")
    for group in groups {
      body += Drawing.text(group.name, left - 12, y + barHeight, "end")
      for bar in group.bars {
        let colour = BarChart.colours[series.firstIndex(of: bar.name)! % BarChart.colours.count]
        let (start, end) = (min(x(1), x(bar.value)), max(x(1), x(bar.value)))
        body += Drawing.rectangle(start, y, max(end - start, 1), barHeight - 2, colour)
        body += Drawing.text(
          "\(format(bar.value)) \(bar.name)", end + 5, y + barHeight - 3, size: 10)
        y += barHeight
      }
      y += 12
    }
    var grid = ""
    for power in Int(low)...Int(high) {
      let place = x(pow(10, Double(power)))
      grid += Drawing.line(place, 58, place, y, power == 0 ? "#333" : "#ddd")
      grid += Drawing.text(format(pow(10, Double(power))), place, 52, "middle", size: 11)
    }
    return Drawing.picture(
      width: left + width + 170, height: y + 10,
      Drawing.text(title, 12, 26, size: 15) + grid + body)
  }
}

/// Lines of values at growing sizes, both scales logarithmic, as an SVG picture.
struct LineChart {
  let title: String
  /// The values of each line, by size.
  let lines: [(name: String, points: [(size: Int, value: Double)])]

  var svg: String {
    let (left, top, width, height) = (70.0, 60.0, 620.0, 300.0)
    let points = lines.flatMap(\.points)
    let sizes = points.map { log10(Double($0.size)) }
    let values = points.map { log10($0.value) }
    let (first, last) = (sizes.min()!, max(sizes.max()!, sizes.min()! + 1))
    let low = values.min()!.rounded(.down)
    let high = max(values.max()!.rounded(.up), low + 1)
    func x(_ size: Double) -> Double { left + (size - first) / (last - first) * width }
    func y(_ value: Double) -> Double { top + (high - value) / (high - low) * height }
    var body = ""
    for power in Int(low)...Int(high) {
      body += Drawing.line(left, y(Double(power)), left + width, y(Double(power)), "#ddd")
      body += Drawing.text(
        "\(format(pow(10, Double(power)))) ms", left - 8, y(Double(power)) + 4, "end", size: 11)
    }
    for size in Set(points.map(\.size)).sorted() {
      body += Drawing.text("\(size)", x(log10(Double(size))), top + height + 20, "middle", size: 11)
    }
    for (index, line) in lines.enumerated() {
      let colour = BarChart.colours[index % BarChart.colours.count]
      let path = line.points.map { "\(x(log10(Double($0.size)))),\(y(log10($0.value)))" }
      body +=
        "<polyline fill=\"none\" stroke=\"\(colour)\" stroke-width=\"2\" points=\"\(path.joined(separator: " "))\"/>\n"
      if let end = line.points.last {
        body += Drawing.text(line.name, left + width + 8, y(log10(end.value)) + 4, size: 11)
      }
    }
    return Drawing.picture(
      width: left + width + 260, height: top + height + 40,
      Drawing.text(title, 12, 26, size: 15) + body)
  }
}

/// The elements of a picture.
private enum Drawing {
  static func picture(width: Double, height: Double, _ body: String) -> String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="\(Int(width))" height="\(Int(height))" \
    font-family="sans-serif" font-size="12">
    <rect width="100%" height="100%" fill="white"/>
    \(body)</svg>

    """
  }

  static func text(
    _ text: String, _ x: Double, _ y: Double, _ anchor: String = "start", size: Int = 12
  ) -> String {
    let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    return
      "<text x=\"\(x)\" y=\"\(y)\" text-anchor=\"\(anchor)\" font-size=\"\(size)\">\(escaped)</text>\n"
  }

  static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ colour: String)
    -> String
  {
    "<line x1=\"\(x1)\" y1=\"\(y1)\" x2=\"\(x2)\" y2=\"\(y2)\" stroke=\"\(colour)\"/>\n"
  }

  static func rectangle(
    _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ colour: String
  ) -> String {
    "<rect x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" height=\"\(height)\" fill=\"\(colour)\"/>\n"
  }
}
