import BinaryStore
import Rows
import StoreInterface

extension People {
  /// Creates a store of `count` people, with a save after each million.
  static func fillStore(at path: String, _ count: Int, isCompressed: Bool = false) throws {
    let store = try BinaryStore.create(at: path, model: model, isCompressed: isCompressed)
    for start in stride(from: 0, to: count, by: 1_000_000) {
      let drafts = drafts(start..<min(start + 1_000_000, count), companies: max(1, count / 100))
      var writer = BlockWriter()
      let blocks = drafts.flatMap { Draft.freeze([$0], &writer) }
      let layer = Layer([.init(entityNumber: layout.entityNumber, put: BlockRun(blocks))])
      try store.commit(CommitRequest(layer, basedOn: store.snapshot()))
    }
    try store.close()
  }
}
