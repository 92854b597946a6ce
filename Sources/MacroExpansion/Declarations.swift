/// A part of the source.
struct SourceText: Equatable {
  let text: String
  /// The place of the text: offsets of bytes in the source.
  let range: Range<Int>
}

/// An attribute of a declaration, such as `@Relationship(.cascade, inverse: \Stop.trip)`.
struct AttributeSyntax: Equatable {
  /// The name without the at sign.
  let name: SourceText
  /// The arguments without the parentheses; `nil` if there are no parentheses.
  let arguments: SourceText?
  let range: Range<Int>
}

/// The type of a property, as the source of its declaration spells it.
struct TypeSyntax: Equatable {
  indirect enum Shape: Equatable {
    /// A name with its parts before dots, without generic arguments.
    case named(String)
    case optional(Shape)
    case implicitlyUnwrapped(Shape)
    case array(Shape)
    case related(Shape)
    case dictionary
    /// A set of a type.
    case set(Shape)
    case tuple
    case function
    /// `any P`, `some P` or a composition.
    case existential
  }

  let source: SourceText
  let shape: Shape
}

/// A declaration of a variable or a constant.
struct VariableSyntax: Equatable {
  let attributes: [AttributeSyntax]
  let modifiers: [SourceText]
  /// The word `var` or `let`.
  let keyword: SourceText
  let name: SourceText
  let type: TypeSyntax?
  let initialValue: SourceText?
  let accessors: Accessors
  /// Whether the declaration is inside `#if`.
  let isConditional: Bool
  /// The place of the whole declaration.
  let range: Range<Int>

  enum Accessors: Equatable {
    case none
    case observers(Range<Int>)
    case computed
  }

  /// Whether the variable belongs to the type, not to an object.
  var isStatic: Bool { modifiers.contains { $0.text == "static" || $0.text == "class" } }

  var plainName: String { name.text.filter { $0 != "`" } }
}

/// A declaration of an initializer.
struct InitializerSyntax: Equatable {
  let modifiers: [SourceText]
  /// The declaration from the word `init` up to the opening brace of the body, inclusive.
  let header: SourceText
  /// The place of the word `init`.
  let keyword: Range<Int>
}

/// The expansion of a macro.
struct ExpansionSyntax: Equatable {
  /// The name without the number sign.
  let name: SourceText
  /// The arguments without the parentheses; `nil` if there are no parentheses.
  let arguments: SourceText?
}

/// The declaration of a class or another type.
struct ClassSyntax: Equatable {
  let attributes: [AttributeSyntax]
  let modifiers: [SourceText]
  /// The keyword of the declaration, such as `class`.
  let keyword: SourceText
  let name: SourceText
  /// Whether the declaration has generic parameters.
  let isGeneric: Bool
  /// The superclass and the protocols.
  let inherited: [SourceText]
  /// The variables and constants that the body declares.
  let variables: [VariableSyntax]
  let initializers: [InitializerSyntax]
  /// The macros that the body expands, such as `#Unique<Trip>([\.name, \.start])`.
  let expansions: [ExpansionSyntax]

  var plainName: String { name.text.filter { $0 != "`" } }
}
