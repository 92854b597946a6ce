import ObjectModel

/// Infers mappings between versions of one model, and remembers the obstacles of mappings that can't be inferred.
///
/// Neighbouring versions differ in a few properties. One obstacle, such as an attribute of a changed type, therefore
/// affects most steps over the same change. The two versions of the property identify the obstacle, without a
/// comparison of the models.
struct InferenceMemory {
  /// An attribute with a change that can't be inferred.
  private struct Obstacle {
    let entity: String
    let property: String
    let old: Property?
    let new: Property

    /// Creates the obstacle that a problem describes; `nil` if the problem depends on more than two attributes.
    init?(_ problem: MigrationProblem, _ old: Model, _ new: Model) {
      guard let name = problem.property, let property = new[problem.entity]?[name],
        case .attribute(let attribute) = property, attribute.type != .composite,
        Obstacle.isPlain(attribute), Obstacle.isPlain(problem.entity, in: old),
        Obstacle.isPlain(problem.entity, in: new)
      else { return nil }
      let before = old.property(name, of: problem.entity)
      switch before {
      case nil: break
      case .attribute(let before)? where before.type != .composite && Obstacle.isPlain(before):
        break
      default: return nil
      }
      (entity, self.property, self.old, self.new) = (problem.entity, name, before, property)
    }

    private static func isPlain(_ attribute: Attribute) -> Bool {
      attribute.renamingIdentifier == nil && !attribute.isTransient
    }

    /// Whether the model has the entity, and the entity has no renaming identifier.
    private static func isPlain(_ entity: String, in model: Model) -> Bool {
      model[entity].map { $0.renamingIdentifier == nil } ?? false
    }

    /// Whether the step between two models has the same obstacle.
    func isBetween(_ old: Model, _ new: Model) -> Bool {
      guard Self.isPlain(entity, in: old), Self.isPlain(entity, in: new),
        new.property(property, of: entity) == self.new
      else { return false }
      return old.property(property, of: entity) == self.old
    }
  }

  private var obstacles: [Obstacle] = []
  /// The number of comparisons of whole models so far.
  private(set) var comparisonCount = 0

  /// Returns the mapping between two models; `nil` if it can't be inferred.
  mutating func mapping(from old: Model, to new: Model) -> InferredMapping? {
    if obstacles.contains(where: { $0.isBetween(old, new) }) { return nil }
    comparisonCount += 1
    do throws(MigrationError) { return try InferredMapping(from: old, to: new) } catch {
      // A step with many changes has many obstacles. The first one is enough to recognise the step.
      if let found = error.problems.lazy.compactMap({ Obstacle($0, old, new) }).first {
        obstacles.append(found)
      }
      return nil
    }
  }
}
