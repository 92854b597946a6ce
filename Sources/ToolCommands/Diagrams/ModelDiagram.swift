import ModelNotations
import ObjectModel

/// The entities and relationships of a model as boxes and lines, for drawings.
struct ModelDiagram {
  /// The box of one entity.
  struct Box {
    var name: String
    var isAbstract: Bool
    /// The lines of attributes: the name, and the type with `?` if the attribute is optional.
    var attributes: [(name: String, type: String)]
  }

  /// A line between two boxes.
  struct Line {
    enum Kind {
      /// The first box is the entity that inherits, the second its superentity.
      case inheritance
      /// A relationship, and its inverse if there is one.
      case relationship
    }
    var kind: Kind
    var from: Int
    var to: Int
    /// The relationship of the first entity, and how many objects it refers to.
    var name = ""
    var count = ""
    /// The inverse, and how many objects it leads to; empty without an inverse.
    var inverse = ""
    var inverseCount = ""
  }

  var boxes: [Box] = []
  var lines: [Line] = []

  init(_ model: Model) {
    var places: [String: Int] = [:]
    for (index, entity) in model.entities.enumerated() {
      places[entity.name] = index
      boxes.append(
        Box(
          name: entity.name, isAbstract: entity.isAbstract,
          attributes: entity.declaredAttributes.map { attribute in
            let type = attribute.compositeName ?? ModelText.typeName(of: attribute)
            return (attribute.name, type + (attribute.isOptional ? "?" : ""))
          }))
    }
    for (index, entity) in model.entities.enumerated() {
      if let parent = entity.superentity.flatMap({ places[$0] }) {
        lines.append(Line(kind: .inheritance, from: index, to: parent))
      }
    }
    var drawn: Set<[String]> = []
    for (index, entity) in model.entities.enumerated() {
      for relationship in entity.declaredRelationships {
        guard let to = places[relationship.destination],
          !drawn.contains([entity.name, relationship.name])
        else { continue }
        var line = Line(kind: .relationship, from: index, to: to)
        (line.name, line.count) = (relationship.name, Self.count(relationship))
        if let inverse = model.inverse(of: relationship) {
          let owner = relationship.inverseEntity ?? relationship.destination
          drawn.insert([owner, inverse.name])
          drawn.insert([relationship.destination, inverse.name])
          (line.inverse, line.inverseCount) = (inverse.name, Self.count(inverse))
          if let owner = places[owner] { line.to = owner }
        }
        lines.append(line)
      }
    }
  }

  /// Returns the number of objects that a relationship refers to: `1`, `0..1`, `*` or `2..5`.
  private static func count(_ relationship: Relationship) -> String {
    let (least, most) = (relationship.count.minimum, relationship.count.maximum)
    if !relationship.isToMany { return relationship.isOptional ? "0..1" : "1" }
    if most <= 0 { return least > 0 ? "\(least)..*" : "*" }
    return "\(max(0, least))..\(most)"
  }
}

// MARK: - Other programs' languages

extension ModelDiagram {
  /// The diagram as text for Mermaid, which many viewers of Markdown draw.
  var mermaid: String {
    var text = "classDiagram\n"
    for (index, box) in boxes.enumerated() {
      text += "  class E\(index)[\"\(Self.mermaidText(box.name))\"]"
      if box.attributes.isEmpty, !box.isAbstract {
        text += "\n"
        continue
      }
      text += " {\n"
      if box.isAbstract { text += "    <<abstract>>\n" }
      for attribute in box.attributes {
        text += "    \(Self.mermaidText(attribute.type)) \(Self.mermaidText(attribute.name))\n"
      }
      text += "  }\n"
    }
    for line in lines {
      switch line.kind {
      case .inheritance: text += "  E\(line.to) <|-- E\(line.from)\n"
      case .relationship:
        let left = line.inverseCount.isEmpty ? "" : " \"\(line.inverseCount)\""
        let arrow = line.inverse.isEmpty ? "-->" : "--"
        let names = line.inverse.isEmpty ? line.name : "\(line.name) / \(line.inverse)"
        text +=
          "  E\(line.from)\(left) \(arrow) \"\(line.count)\" E\(line.to) : \(Self.mermaidText(names))\n"
      }
    }
    return text
  }

  /// Replaces characters that have a meaning in Mermaid.
  private static func mermaidText(_ text: String) -> String {
    text.escaping { scalar in
      switch scalar {
      case "\"", "#", ";", "{", "}", "<", ">", "`", "[", "]", "~": "#\(scalar.value);"
      default: scalar.properties.generalCategory == .control ? " " : nil
      }
    }
  }

  /// The diagram as text for Graphviz: `quire model DOC --format dot | dot -Tpng`.
  var dot: String {
    var text = """
      digraph model {
        graph [rankdir=LR, nodesep=0.4, ranksep=1.0, fontname="sans-serif"]
        node [shape=plain, fontname="sans-serif", fontsize=11]
        edge [fontname="sans-serif", fontsize=9]

      """
    for (index, box) in boxes.enumerated() {
      let name = Self.markup(box.name)
      text +=
        "  e\(index) [label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" cellpadding=\"4\">"
      text +=
        "<tr><td bgcolor=\"#dfe8f5\"><b>\(box.isAbstract ? "<i>\(name)</i>" : name)</b></td></tr>"
      if !box.attributes.isEmpty {
        let lines = box.attributes.map {
          "\(Self.markup($0.name)): \(Self.markup($0.type))<br align=\"left\"/>"
        }
        text += "<tr><td align=\"left\">\(lines.joined())</td></tr>"
      }
      text += "</table>>]\n"
    }
    for line in lines {
      switch line.kind {
      case .inheritance: text += "  e\(line.from) -> e\(line.to) [arrowhead=onormal]\n"
      case .relationship:
        func label(_ name: String, _ count: String) -> String {
          Self.quoted(name.isEmpty ? "" : "\(name) \(count)")
        }
        let ends =
          "headlabel=\(label(line.name, line.count)), taillabel=\(label(line.inverse, line.inverseCount))"
        text +=
          "  e\(line.from) -> e\(line.to) [\(ends), arrowhead=\(line.inverse.isEmpty ? "vee" : "none")]\n"
      }
    }
    return text + "}\n"
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  /// Replaces characters that have a meaning in XML, and control characters.
  static func markup(_ text: String) -> String {
    text.escaping { scalar in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      default: scalar.properties.generalCategory == .control ? " " : nil
      }
    }
  }
}
