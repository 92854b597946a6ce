import CommandInterface
import ModelNotations
import ObjectModel

extension Wording {
  /// Returns the model in its text form. On a terminal the first line of each part is a heading.
  static func text(_ model: Model, on stream: Console.Stream) -> String {
    let text = ModelText.write(model)
    guard stream.isTerminal else { return text }
    var styled = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      let isHeading = !line.isEmpty && !line.hasPrefix(" ") && !line.hasPrefix("editor ")
      let shown = printable(String(line))
      styled += (isHeading ? stream.styled(shown, .heading) : shown) + "\n"
    }
    return styled
  }

  /// Returns the type of the property's values, as the text of a model spells it: `Int16?`, `[Stop]`.
  static func type(of property: Property) -> String {
    let mark = property.isOptional ? "?" : ""
    return switch property {
    case .attribute(let attribute):
      (attribute.compositeName ?? ModelText.typeName(of: attribute)) + mark
    case .relationship(let relationship):
      relationship.isToMany ? "[\(relationship.destination)]" : relationship.destination + mark
    case .fetched(let property): "fetch \(property.request.entity)"
    }
  }
}
