import ObjectModel
import SeededRandom
import Testing

@Suite("Laws that hold for every model")
struct RandomModelTests {
  private func forManyModels(
    _ law: (Model.Description, inout SeededGenerator) throws -> Void
  ) throws {
    for _ in 0..<200 {
      var random = SeededGenerator()
      let description = RandomModel.description(using: &random)
      try law(description, &random)
    }
  }

  @Test("A model has no faults, and no difference from itself")
  func itself() throws {
    try forManyModels { description, random in
      let model = try Model(description, strict: true)

      #expect(ModelDifference(from: model, to: model).isEmpty, "\(random)")
      #expect(try Model.merging([model, model]) == model, "\(random)")
      #expect(model.isCompatible(with: model.versionHashes), "\(random)")
    }
  }

  @Test("The order of entities and properties changes neither hashes nor differences")
  func order() throws {
    try forManyModels { description, random in
      let model = try Model(description)
      var shuffled = description
      shuffled.entities.shuffle(using: &random)
      for index in shuffled.entities.indices {
        shuffled.entities[index].declaredProperties.shuffle(using: &random)
      }
      for index in shuffled.composites.indices {
        shuffled.composites[index].attributes.shuffle(using: &random)
      }

      let other = try Model(shuffled)

      #expect(other.versionHashes == model.versionHashes, "\(random)")
      #expect(other.versionHashesDigest == model.versionHashesDigest, "\(random)")
      #expect(ModelDifference(from: model, to: other).isEmpty, "\(random)")
    }
  }

  @Test("A difference is marked as seen by hashes exactly if the hashes differ")
  func differences() throws {
    try forManyModels { description, random in
      let model = try Model(description)
      var changed = description
      for _ in 0..<Int.random(in: 1...2, using: &random) { changed.changeSomething(using: &random) }
      guard let other = try? Model(changed) else { return }

      let difference = ModelDifference(from: model, to: other)

      #expect(
        difference.isSeenByHashes == (model.versionHashes != other.versionHashes),
        "\(random)\n\(difference)")
      #expect(difference.isEmpty == (model == other), "\(random)\n\(difference)")
      let back = ModelDifference(from: other, to: model)
      #expect(back.changes.count == difference.changes.count, "\(random)\n\(difference)\n\(back)")
    }
  }
}
