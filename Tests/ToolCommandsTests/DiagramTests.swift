import Foundation
import ModelNotations
import ObjectModel
import ProgramRuns
import Testing

@testable import ToolCommands

@Suite("Drawings of models")
struct DiagramTests {
  private static let text = """
    entity Place, abstract
      name: String

    entity Museum: Place
      isFree: Bool = false
      visits: [Trip], inverse museums

    entity Trip
      title: String
      start: Date?
      museums: [Museum], inverse visits
      stops: [Stop], inverse trip, count 1...5
      next: Trip?, inverse previous
      previous: Trip?, inverse next

    entity Stop
      trip: Trip, inverse stops
      hint: Museum?
    """

  private static func diagram() throws -> ModelDiagram {
    ModelDiagram(try Model(ModelText.read(Array(text.utf8))))
  }

  @Test("Each relationship is one line with its inverse, and its counts")
  func lines() throws {
    let diagram = try Self.diagram()
    let names = diagram.boxes.map(\.name)

    #expect(diagram.boxes.map(\.isAbstract) == [true, false, false, false])
    #expect(
      diagram.boxes[2].attributes.map { "\($0.name) \($0.type)" } == [
        "title String", "start Date?",
      ])
    #expect(
      diagram.lines.map { line in
        "\(names[line.from])-\(names[line.to]) \(line.name) \(line.count) \(line.inverse) \(line.inverseCount)"
      } == [
        "Museum-Place    ", "Museum-Trip visits * museums *", "Trip-Stop stops 1..5 trip 1",
        "Trip-Trip next 0..1 previous 0..1", "Stop-Museum hint 0..1  ",
      ])
  }

  @Test("Mermaid and Graphviz get their own languages")
  func languages() throws {
    let diagram = try Self.diagram()

    #expect(
      diagram.mermaid == """
        classDiagram
          class E0["Place"] {
            <<abstract>>
            String name
          }
          class E1["Museum"] {
            Bool isFree
          }
          class E2["Trip"] {
            String title
            Date? start
          }
          class E3["Stop"]
          E0 <|-- E1
          E1 "*" -- "*" E2 : visits / museums
          E2 "1" -- "1..5" E3 : stops / trip
          E2 "0..1" -- "0..1" E2 : next / previous
          E3 --> "0..1" E1 : hint

        """)
    #expect(diagram.dot.contains("e1 -> e0 [arrowhead=onormal]"))
    #expect(diagram.dot.contains("headlabel=\"stops 1..5\", taillabel=\"trip 1\""))
  }

  @Test("Names can't break out of a drawing")
  func hostileNames() throws {
    let name = "a\"<&>]; } x"
    let model = try Model(entities: [Entity("A", properties: [.attribute(Attribute("n", .string))])]
    )
    var diagram = ModelDiagram(model)
    diagram.boxes[0].name = name
    diagram.boxes[0].attributes[0].name = name

    let svg = DiagramSVG(diagram).text
    #expect(!svg.contains(name) && svg.contains("a&quot;&lt;&amp;&gt;]; } x"))
    #expect(!diagram.mermaid.contains(name) && !diagram.dot.contains(name))
    let parser = XMLParserRun(svg)
    #expect(parser.isWellFormed)
  }

  /// Whether a text is well-formed XML, as libxml2's own tool says.
  private struct XMLParserRun {
    var isWellFormed = false
    init(_ text: String) {
      let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).svg")
      try? Data(text.utf8).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      isWellFormed = (try? ProgramRun("xmllint", ["--noout", file.path]).status) == 0
    }
  }

  @Test("Boxes do not overlap, and everything lies within the drawing, for any number of entities")
  func layout() {
    for count in [1, 2, 5, 12, 40, 120] {
      var seed: UInt64 = 7 &+ UInt64(count)
      func random(_ limit: Int) -> Int {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(seed >> 33) % limit
      }
      let sizes = (0..<count).map { _ in
        DiagramLayout.Size(width: Double(90 + random(200)), height: Double(30 + random(200)))
      }
      let lines = (0..<count * 3 / 2).map { _ in (random(count), random(count)) }
      let layout = DiagramLayout(sizes, lines: lines)
      for (index, frame) in layout.frames.enumerated() {
        #expect(frame.x >= DiagramLayout.margin && frame.y >= DiagramLayout.margin)
        #expect(frame.x + frame.width <= layout.size.width - DiagramLayout.margin + 0.5)
        #expect(frame.y + frame.height <= layout.size.height - DiagramLayout.margin + 0.5)
        for other in layout.frames[..<index] {
          let isApart =
            other.x + other.width < frame.x || frame.x + frame.width < other.x
            || other.y + other.height < frame.y || frame.y + frame.height < other.y
          #expect(isApart, "\(count) boxes: \(frame) and \(other)")
        }
      }
    }
  }
}
