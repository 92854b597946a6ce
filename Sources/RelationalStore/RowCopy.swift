import ObjectModel
package import Rows
package import SQLTranslation

/// The columns of an entity in a new table, and the expressions that fill them from the rows `t` of an old one. A column
/// with the same number keeps its values, and a new column gets its default.
package struct RowCopy {
  /// The names and the expressions, each after a comma.
  package private(set) var names = ""
  package private(set) var cells = ""
  /// The columns with a default, in the order of their parameters.
  package private(set) var defaults: [(column: LayoutColumn, isExternal: Bool)] = []

  /// - Parameters:
  ///   - parameter: Returns the parameter with a number, from 1 on.
  ///   - cell: Returns the expression for the value of a column in its new column.
  ///   - entity: Returns the expression for the entity of the target in a column.
  package init(
    _ old: TableMap.EntityMap, to new: TableMap.EntityMap, parameter: (Int) -> String,
    cell: (_ source: TableMap.ColumnMap, _ target: TableMap.ColumnMap) throws -> String,
    entity: (_ source: TableMap.ColumnMap) -> String
  ) rethrows {
    for (wanted, column) in zip(new.layout.columns, new.columns) {
      let source = old.layout.index(ofNumber: wanted.number).map { old.columns[$0] }
      names += ", \(quoted(column.name))"
      if let source {
        cells += ", \(try cell(source, column))"
      } else if wanted.defaultValue.isNull {
        cells += ", NULL"
      } else {
        defaults.append((wanted, column.isExternal))
        cells += ", \(parameter(defaults.count))"
      }
      guard let beside = column.entityColumn else { continue }
      names += ", \(quoted(beside))"
      cells += ", \(source.map(entity) ?? "NULL")"
    }
  }
}
