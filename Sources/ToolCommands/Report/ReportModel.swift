import ModelNotations
import ObjectModel

/// The section of a report about the model: the drawing, and the entities as a list.
struct ReportModel {
  private let model: Model
  /// The anchors of the entities' tables of rows, by name.
  private let anchors: [String: String]

  init(_ model: Model, anchors: [String: String]) {
    self.model = model
    self.anchors = anchors
  }

  var html: String {
    guard !model.entities.isEmpty else {
      return
        "<section id=\"model\">\n<h2>Model</h2>\n<p class=\"note\">No entities.</p>\n</section>\n"
    }
    var html = """
      <section id="model">
      <h2>Model</h2>
      <div class="drawing" role="region" aria-label="Drawing of the model" tabindex="0">
      \(DiagramSVG(ModelDiagram(model)).text)</div>
      <ul class="entities">

      """
    for entity in model.entities.sorted(by: { $0.name < $1.name }) { html += item(entity) }
    return html + """
      </ul>
      <details><summary>The model as text</summary>
      <pre tabindex="0">\(HTMLText.escaped(ModelText.write(model)))</pre></details>
      </section>

      """
  }

  private func item(_ entity: Entity) -> String {
    let name = HTMLText.escaped(entity.name)
    let link = anchors[entity.name].map { "<a href=\"#\($0)\">\(name)</a>" } ?? name
    var notes: [String] = []
    if entity.isAbstract { notes.append("abstract") }
    if let parent = entity.superentity { notes.append("inherits from \(parent)") }
    let note =
      notes.isEmpty ? "" : " <small>\(HTMLText.escaped(notes.joined(separator: ", ")))</small>"
    let properties = entity.properties.map { property in
      "<li>\(HTMLText.escaped(property.name)) <span>\(HTMLText.escaped(Wording.type(of: property)))</span></li>"
    }
    return "<li><h3>\(link)\(note)</h3><ul>\(properties.joined())</ul></li>\n"
  }
}
