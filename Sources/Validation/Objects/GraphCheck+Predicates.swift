import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

extension GraphCheck {
  /// The greatest number of objects for which one predicate of a relationship or a composite attribute is evaluated.
  ///
  /// One evaluation may read every object, so these limits keep the time in proportion to the size of the store.
  private static let mostPredicateObjects = 10_000
  /// The longest time for one such predicate.
  private static let longestPredicateTime = Duration.seconds(10)

  /// Checks the predicates of the values of an attribute (spec §6.3.9).
  func checkPredicates(
    _ attribute: Attribute, _ place: Place, _ objects: EntityObjects, _ column: ObjectColumn
  ) {
    for predicate in attribute.validation.predicates {
      var place = place
      let condition: ValueCondition
      do throws(QueryError) { condition = try ValueCondition(predicate, of: attribute) } catch {
        reportUndecided(predicate, place, error)
        continue
      }
      for object in objects.keys.indices {
        let value = column.value(object)
        guard !value.isNull else { continue }
        place.object = objects.keys[object]
        do {
          if try !condition.holds(for: value) {
            findings.add(
              .unmetPredicate, place, "\(value.text): \(GraphCheck.sentence(predicate))")
          }
        } catch {
          reportUndecided(predicate, place, error)
          break
        }
      }
    }
  }

  /// Checks the predicates of the relationships and composite attributes of an entity's objects (spec §6.3.9).
  func checkPredicates(_ layout: Layout, _ objects: EntityObjects) {
    for property in model.properties(of: layout.entity) where !property.isTransient {
      let predicates: [ValidationPredicate]
      switch property {
      case .attribute(let attribute) where attribute.type == .composite:
        predicates = attribute.validation.predicates
      case .relationship(let relationship): predicates = relationship.validationPredicates
      default: continue
      }
      for predicate in predicates { check(predicate, of: property, layout, objects) }
    }
  }

  private func check(
    _ predicate: ValidationPredicate, of property: Property, _ layout: Layout,
    _ objects: EntityObjects
  ) {
    var place = Place(entity: layout.entity, property: property.name)
    guard !predicate.mayTakeLong else {
      unchecked.append(
        "The condition of '\(layout.entity).\(property.name)' was not checked: it may take too long."
      )
      return
    }
    let condition: PropertyCondition
    do throws(QueryError) {
      condition = try PropertyCondition(predicate, of: property, in: layout.entity, model, schema)
    } catch { return reportUndecided(predicate, place, error) }
    let columns = layout.columns.filter {
      $0.name == property.name || $0.name.hasPrefix(property.name + ".")
    }
    var count = 0
    let start = ContinuousClock.now
    for number in objects.keys.prefix(Self.mostPredicateObjects) {
      if ContinuousClock.now - start > Self.longestPredicateTime { break }
      count += 1
      place.object = number
      let key = ObjectKey(entity: layout.entityNumber, number: number)
      do {
        // A property without a value meets every predicate.
        if !columns.isEmpty, let row = try source.row(of: key),
          try columns.allSatisfy({ try row.value($0).isNull })
        {
          continue
        }
        if try !condition.holds(for: key, in: source) {
          findings.add(.unmetPredicate, place, GraphCheck.sentence(predicate))
        }
      } catch { return reportUndecided(predicate, place, error) }
    }
    if objects.keys.count > count {
      unchecked.append(
        "The condition of '\(layout.entity).\(property.name)' was checked for the first "
          + "\(count) of \(objects.keys.count) objects.")
    }
  }

  private func reportUndecided(
    _ predicate: ValidationPredicate, _ place: Place, _ error: any Error
  ) {
    let reason = (error as? QueryError)?.message ?? "\(error)"
    findings.add(
      .undecidedPredicate, place,
      "The condition '\(predicate.predicate.prefix(80))' can't be checked. \(reason)")
  }

  private static func sentence(_ predicate: ValidationPredicate) -> String {
    predicate.message.map { String($0.prefix(200)) }
      ?? "The object does not meet the condition '\(predicate.predicate.prefix(80))'."
  }
}
