import ObjectModel
import Rows

@testable import ObjectGraph

/// A row of a table's cell: a name, a sign and values.
///
///     page1 x=1 next=page2           a row, or new values of one
///     +line3 page=page1@2            an inserted row with a reference, and its place in the order of the other end
///     -line1                         a removed row
///     tags1 page1>tag2@3             a link and its place
///     peers1 page1>page2@3/4         a link with places at both ends
struct RowText: Hashable {
  enum Sign: String {
    case insert = "+"
    case remove = "-"
    case none = ""
  }

  var sign: Sign
  var key: ObjectKey
  /// The given values, by column name.
  var values: [String: Value] = [:]

  init(_ sign: Sign, _ key: ObjectKey, _ values: [String: Value] = [:]) {
    (self.sign, self.key, self.values) = (sign, key, values)
  }

  /// Returns the rows of a cell; commas separate them.
  static func rows(_ cell: String) -> [RowText] {
    cell.split(separator: ",").compactMap { row in
      let words = row.split(separator: " ")
      return words.isEmpty ? nil : RowText(words)
    }
  }

  private init(_ words: [Substring]) {
    var name = words[0]
    sign = name.first.flatMap { Sign(rawValue: String($0)) } ?? .none
    if sign != .none { name.removeFirst() }
    guard let key = SmallModel.key(name) else { preconditionFailure("No row is named \(name).") }
    self.key = key
    for word in words.dropFirst() { read(word) }
  }

  private mutating func read(_ word: Substring) {
    let halves = word.split(separator: "@", omittingEmptySubsequences: false)
    let places = halves.dropFirst().first?.split(separator: "/", omittingEmptySubsequences: false)
    if let name = word.split(separator: "=").first, word.contains("=") {
      let given = halves[0].dropFirst(name.count + 1)
      let order = "\(name)#order"
      if !given.isEmpty { values[String(name)] = RowText.value(given) }
      if let place = places?.first {
        values[order] = RowText.value(place)
      } else if given == "-", SmallModel.layout(of: key).index(of: order) != nil {
        values[order] = .null
      }
      return
    }
    let ends = halves[0].split(separator: ">")
    if ends.count == 2 {
      (values["source"], values["target"]) = (RowText.value(ends[0]), RowText.value(ends[1]))
    }
    for (name, place) in zip(["target#order", "source#order"], places ?? []) where !place.isEmpty {
      values[name] = RowText.value(place)
    }
  }

  private static func value(_ text: Substring) -> Value {
    if text == "-" || text == "~" { return .null }
    if let number = Int64(text) { return .integer(number) }
    guard let key = SmallModel.key(text) else { preconditionFailure("No value is \(text).") }
    return .object(key)
  }
}

extension RowText: CustomStringConvertible {
  var description: String {
    var words = [sign.rawValue + SmallModel.name(key)]
    let layout = SmallModel.layout(of: key)
    func text(_ value: Value) -> String {
      switch value {
      case .integer(let number): "\(number)"
      case .object(let key): SmallModel.name(key)
      default: "-"
      }
    }
    func place(_ name: String) -> String { values[name].map(text) ?? "" }
    if SmallModel.graph[key.entity] == nil {
      var word = ""
      if let source = values["source"], let target = values["target"] {
        word = "\(text(source))>\(text(target))"
      }
      let places = (place("target#order"), place("source#order"))
      if places != ("", "") { word += "@" + places.0 }
      if places.1 != "" { word += "/" + places.1 }
      return (word.isEmpty ? words : words + [word]).joined(separator: " ")
    }
    for column in layout.columns where !column.name.hasSuffix("#order") {
      let order = "\(column.name)#order"
      guard values[column.name] != nil || values[order] != nil else { continue }
      let given = values[column.name].map(text) ?? ""
      if given == "-", layout.index(of: order) != nil {
        words.append(
          "\(column.name)="
            + (values[order] == nil ? "~" : values[order] == .null ? "-" : "-@" + place(order)))
      } else {
        words.append("\(column.name)=\(given)" + (values[order] == nil ? "" : "@\(place(order))"))
      }
    }
    return words.joined(separator: " ")
  }
}

extension [RowText] {
  /// The text of a cell.
  var text: String { sorted { $0.key < $1.key }.map(\.description).joined(separator: ", ") }

  /// Returns the layer that the rows describe above a view.
  ///
  /// - Parameter version: The version of each row; `nil` while no commit has given one.
  func layer(above view: View, version: Int64? = nil) throws -> Layer {
    let builder = LayerBuilder(SmallModel.graph.schema)
    for row in self {
      let basis = try view.row(of: row.key)?.version ?? 0
      switch row.sign {
      case .insert: builder.insert(row.key)
      case .remove: builder.remove(row.key, basis: basis)
      case .none: break
      }
      for (name, value) in row.values {
        let column = SmallModel.layout(of: row.key).index(of: name)!
        builder.set(value, column: column, of: row.key, basis: basis)
      }
    }
    return builder.freeze(version: version)
  }
}

extension View {
  /// Returns all rows of the view; a value that is null is left out.
  func rows() throws -> [RowText] {
    try SmallModel.layouts.values.flatMap { layout in
      try keys(ofEntity: layout.entityNumber).map { number in
        let key = ObjectKey(entity: layout.entityNumber, number: number)
        let row = try row(of: key)!
        var values: [String: Value] = [:]
        for column in layout.columns {
          let value = try row.value(column)
          if !value.isNull { values[column.name] = value }
        }
        return RowText(.none, key, values)
      }
    }
  }
}

extension Layer {
  /// Returns all rows of the layer; an inserted row's values that are null are left out.
  func rows() throws -> [RowText] {
    try entities.flatMap { changes in
      try changes.entries().map { one in
        let key = ObjectKey(entity: changes.entityNumber, number: one.key)
        var row = RowText(.none, key)
        switch one.entry {
        case .put: row.sign = .insert
        case .removed: row.sign = .remove
        case .changed, .absent: break
        }
        guard let location = one.entry.given else { return row }
        for column in SmallModel.layout(of: key).columns {
          guard let value = try location.block.value(column, row: location.row),
            row.sign == .none || !value.isNull
          else { continue }
          row.values[column.name] = value
        }
        return row
      }
    }
  }
}
