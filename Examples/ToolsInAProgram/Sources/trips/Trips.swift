import Quire

@Entity final class Trip: ManagedObject {
  @Unique var name: String
  var price: Double = 0
  @Relationship(.cascade, inverse: \Stop.trip, ordered: true) var stops: RelatedObjects<Stop>
}

@Entity final class Stop: ManagedObject {
  var name: String
  var nights: Int = 1
  var trip: Trip?
}

/// Opens a document, changes its objects, and saves a version.
func change(
  _ path: String, _ body: @MainActor (ManagedObjectContext) throws -> Void
) async throws {
  let document = try await ManagedDocument.openOrCreate(path, for: Trip.self, Stop.self)
  try await body(document.mainContext)
  try await document.close()
}
