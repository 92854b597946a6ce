import Foundation
import Testing

/// Checks that `import Quire` does not fill a program's namespace.
@Suite("The umbrella")
struct UmbrellaTests {
  /// Words that SwiftUI, SwiftData, Foundation and the toolkits for Linux use for types of their own.
  static let takenWords: Set<String> = [
    "View", "Layout", "Column", "Block", "Layer", "Schema", "Value", "Property", "Attribute",
    "Relationship", "Entity", "Index", "Unique", "Section", "Table", "List", "Text", "State",
    "Binding",
    "Form", "Group", "Path", "Color", "Image", "Button", "Label", "Picker", "Predicate",
    "Expression",
    "SortDescriptor", "Operation", "Notification", "Store", "Configuration", "Draft", "Window",
    "Box",
  ]

  private static func types(declaredIn files: [SourceFile]) -> [String] {
    let declaration =
      /^(?:public|open) (?:final |indirect |nonisolated )*(?:class|struct|enum|protocol|actor|typealias) (\w+)/
    return files.flatMap { file in
      // An unavailable name does not hide the type of a toolkit: the compiler prefers an available one.
      zip([""] + file.lines, file.lines).filter { !$0.0.hasPrefix("@available(*, unavailable") }
        .compactMap { $0.1.firstMatch(of: declaration).map { String($0.1) } }
    }
  }

  @Test("The umbrella exports fewer than 120 types, and none with a name of a common toolkit")
  func types() throws {
    let umbrella = try House.file("Sources/Quire/Quire.swift")
    let text = umbrella.lines.joined(separator: "\n")
    let single = text.matches(
      of: /@_exported public import (?:class|struct|enum|protocol) \w+\.(\w+)/
    ).map { String($0.1) }
    let whole = text.matches(of: /@_exported public import (\w+)\n/).map { String($0.1) }
    let names =
      single + Self.types(declaredIn: House.swift(in: "Sources/Quire"))
      + whole.flatMap { Self.types(declaredIn: House.swift(in: "Sources/" + $0)) }

    #expect(whole == ["Entities", "ObjectQuery"])
    #expect(names.count > 80 && names.count < 120, "\(names.count) types")
    #expect(Set(names).isDisjoint(with: Self.takenWords))
  }

  @Test(
    "The umbrella of the tools exports fewer than 45 types, and none with a name of a common toolkit"
  )
  func tools() throws {
    let text = try House.file("Sources/QuireTools/QuireTools.swift").lines.joined(separator: "\n")
    let names =
      text.matches(
        of: /@_exported public import (?:class|struct|enum|protocol) \w+\.(\w+)/
      ).map { String($0.1) } + Self.types(declaredIn: House.swift(in: "Sources/QuireTools"))

    #expect(names.count > 30 && names.count < 45, "\(names.count) types")
    #expect(Set(names).isDisjoint(with: Self.takenWords))
  }
}
