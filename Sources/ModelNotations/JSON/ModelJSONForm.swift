import JSONText
import ObjectModel

/// The JSON form of values of one kind, for both directions.
struct ModelJSONForm<Content>: Sendable {
  /// Returns the JSON of a value.
  let write: @Sendable (Content) -> JSON
  /// Returns the value of JSON; `nil` if the JSON has another form, which is then reported.
  let read: @Sendable (JSON, inout ModelJSONReading) -> Content?
}

extension ModelJSONForm {
  /// Returns the form of a part that is an object with the given fields.
  ///
  /// - Parameters:
  ///   - empty: The part of an object without members.
  ///   - check: A check of the part that was read.
  static func part(
    _ fields: [ModelJSONField<Content>], _ empty: Content,
    check: @escaping @Sendable (JSON, Content, inout ModelJSONReading) -> Void = { _, _, _ in }
  ) -> ModelJSONForm where Content: Sendable {
    ModelJSONForm(
      write: { fields.json($0) },
      read: { json, reading in
        guard let part = reading.part(json, fields, empty) else { return nil }
        check(json, part, &reading)
        return part
      })
  }

  /// Returns the form of an array.
  static func list<Item>(_ item: ModelJSONForm<Item>) -> ModelJSONForm where Content == [Item] {
    ModelJSONForm(
      write: { .array($0.map(item.write)) },
      read: { json, reading in
        var items: [Item] = []
        reading.items(json) { one, reading in
          if let value = item.read(one, &reading) { items.append(value) }
        }
        return items
      })
  }

  /// Returns the form of a value that is one of several words.
  ///
  /// - Parameters:
  ///   - kind: The kind of the value in messages.
  ///   - meant: Returns the word that was probably meant by another word.
  static func word(
    _ kind: String, _ words: [(word: String, value: Content)],
    meant: @escaping @Sendable (String) -> String? = { _ in nil }
  ) -> ModelJSONForm where Content: Equatable & Sendable {
    ModelJSONForm(
      write: { value in .string(words.first { $0.value == value }?.word ?? "") },
      read: { json, reading in
        guard let word = ModelJSONForm<String>.text.read(json, &reading) else { return nil }
        if let known = words.first(where: { $0.word == word }) { return known.value }
        reading.report(unknown: kind, word, among: words.map(\.word), meant: meant(word))
        return nil
      })
  }

  /// Returns the form of a set of options: an array of words.
  static func words(
    _ kind: String, _ words: [(word: String, value: Content)]
  ) -> ModelJSONForm where Content: OptionSet & Sendable, Content.Element == Content {
    let option = word(kind, words)
    return ModelJSONForm(
      write: { options in .strings(words.filter { options.contains($0.value) }.map(\.word)) },
      read: { json, reading in
        var options: Content = []
        reading.items(json) { item, reading in
          guard let value = option.read(item, &reading) else { return }
          guard !options.contains(value) else {
            return reading.report("The word \(item.line) occurs twice.")
          }
          options.insert(value)
        }
        return options
      })
  }
}

extension ModelJSONForm<String> {
  static let text = ModelJSONForm(
    write: { .string($0) },
    read: { json, reading in
      if case .string(let text) = json { return text }
      reading.report(json, insteadOf: "text")
      return nil
    })

  /// The name of a version, which may become the name of a folder.
  static let versionName = ModelJSONForm(
    write: text.write,
    read: { json, reading in
      guard let name = text.read(json, &reading) else { return nil }
      let isFileName =
        !name.isEmpty && name.utf8.count <= 255 && name != "." && name != ".."
        && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
      if isFileName { return name }
      reading.report(json, insteadOf: "the name of a version without '/'")
      return nil
    })
}

extension ModelJSONForm<Bool> {
  static let flag = ModelJSONForm(
    write: { .boolean($0) },
    read: { json, reading in
      if case .boolean(let flag) = json { return flag }
      reading.report(json, insteadOf: "true or false")
      return nil
    })
}

extension ModelJSONForm<Int> {
  static let number = ModelJSONForm(
    write: { .number($0) },
    read: { json, reading in
      if case .number(let digits) = json, let number = Int(digits) { return number }
      reading.report(json, insteadOf: "a whole number")
      return nil
    })
}

extension ModelJSONForm<[String: String]> {
  /// An object of texts. The members are sorted by name.
  static let texts = ModelJSONForm(
    write: { texts in
      .members(
        texts.sorted { $0.key < $1.key }.map {
          JSON.Member(name: $0.key, value: .string($0.value))
        })
    },
    read: { json, reading in
      guard case .members(let members) = json else {
        reading.report(json, insteadOf: "an object")
        return nil
      }
      var texts: [String: String] = [:]
      for member in members {
        reading.at(.member(member.name)) { reading in
          texts[member.name] = ModelJSONForm<String>.text.read(member.value, &reading)
        }
      }
      return texts
    })
}

/// A member of the object that is the JSON form of a part.
struct ModelJSONField<Part>: Sendable {
  let key: String
  /// Whether every object must have the member.
  let isRequired: Bool
  /// Returns the member's value; `nil` if the part lacks the member.
  let write: @Sendable (Part) -> JSON?
  /// Reads the member's value into the part.
  let read: @Sendable (JSON, inout Part, inout ModelJSONReading) -> Void

  /// Creates a member with the given conversions.
  init(
    _ key: String, isRequired: Bool = false, write: @escaping @Sendable (Part) -> JSON?,
    read: @escaping @Sendable (JSON, inout Part, inout ModelJSONReading) -> Void
  ) {
    self.key = key
    self.isRequired = isRequired
    self.write = write
    self.read = read
  }
}

extension ModelJSONField {
  /// Returns a member for one property of a part. Every written object has the member.
  ///
  /// - Parameter isWritten: Whether the member is written for a value.
  static func field<Content>(
    _ key: String, _ property: any WritableKeyPath<Part, Content> & Sendable,
    _ form: ModelJSONForm<Content>, isRequired: Bool = false,
    isWritten: @escaping @Sendable (Content) -> Bool = { _ in true }
  ) -> ModelJSONField {
    ModelJSONField(key, isRequired: isRequired) { part in
      let value = part[keyPath: property]
      return isWritten(value) ? form.write(value) : nil
    } read: { json, part, reading in
      if let value = form.read(json, &reading) { part[keyPath: property] = value }
    }
  }

  /// Returns a member that is omitted if the property is `nil`.
  static func optional<Content>(
    _ key: String, _ property: any WritableKeyPath<Part, Content?> & Sendable,
    _ form: ModelJSONForm<Content>
  ) -> ModelJSONField {
    ModelJSONField(key) { part in
      part[keyPath: property].map(form.write)
    } read: { json, part, reading in
      if let value = form.read(json, &reading) { part[keyPath: property] = value }
    }
  }

  /// Returns a member that is absent if the list is empty.
  static func list<Item>(
    _ key: String, _ property: any WritableKeyPath<Part, [Item]> & Sendable,
    _ item: ModelJSONForm<Item>
  ) -> ModelJSONField {
    field(key, property, .list(item), isWritten: { !$0.isEmpty })
  }

  /// Returns a member that is omitted if the dictionary is empty.
  static func texts(
    _ key: String, _ property: any WritableKeyPath<Part, [String: String]> & Sendable
  ) -> ModelJSONField {
    field(key, property, .texts, isWritten: { !$0.isEmpty })
  }

  /// Returns a member that is absent if the number is 0.
  static func count(
    _ key: String, _ property: any WritableKeyPath<Part, Int> & Sendable
  ) -> ModelJSONField {
    field(key, property, .number, isWritten: { $0 != 0 })
  }
}

extension Array {
  /// Returns the object of a part with these fields. Absent members are left out.
  func json<Part>(_ part: Part) -> JSON where Element == ModelJSONField<Part> {
    .members(
      compactMap { field in
        field.write(part).map { JSON.Member(name: field.key, value: $0) }
      })
  }
}
