import CommandInterface
import Comparison
import JSONText

extension AttachmentChange {
  /// Returns the change as a line of text: `+ attachment "lisbon.jpg"`.
  func line(_ output: Console.Stream) -> String {
    let (sign, style): (String, Console.Style) =
      switch kind {
      case .inserted: ("+", .inserted)
      case .deleted: ("-", .deleted)
      case .changed: ("~", .changed)
      }
    return output.styled("\(sign) attachment \"\(oneLine(name))\"", style)
  }

  var json: JSON { .object(["change": .string(kind.rawValue), "name": .string(name)]) }

  /// A line among the changes of objects.
  var jsonLine: JSON {
    .object([
      "change": .string("attachment"), "action": .string(kind.rawValue), "name": .string(name),
    ])
  }
}
