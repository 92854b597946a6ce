import ObjectModel
import Rows

/// An entity as the history of Core Data sees it: its slots, and the attributes whose last values are kept.
struct LoggedEntity {
  let layout: Layout
  let slots: ChangeSlots
  /// The columns of the attributes that the model preserves after a deletion, by name. Value n of a deleted object is in
  /// the column `ZTOMBSTONE` n.
  let preserved: [LayoutColumn]
  /// The names of all stored properties.
  private let all: [String]

  init?(_ layout: Layout, in model: Model) {
    guard let entity = model[layout.entity] else { return nil }
    self.layout = layout
    slots = ChangeSlots(of: entity, in: model)
    let properties = model.properties(of: layout.entity).filter { !$0.isTransient }
    all = properties.filter {
      if case .fetched = $0 { return false }
      return true
    }.map(\.name).sorted()
    preserved = layout.columns.filter { column in
      guard case .attribute(let attribute)? = model.property(column.name, of: layout.entity) else {
        return false
      }
      return attribute.options.contains(.preservesValueOnDeletion)
    }.sorted { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }
  }

  /// Returns the sorted names of the properties that a mask names. If the slots of the entity are unknown, or if the mask
  /// belongs to another model, these are all properties: a reader that looks again at an unchanged value loses nothing.
  func properties(_ mask: [UInt8]) -> [String] {
    slots.fault == nil ? slots.properties(mask) ?? all : all
  }
}
