import BinaryStore
public import StoreInterface
import XMLStore

extension StoreBackends {
  /// The backends of the types of stores that Quire contains.
  public static let builtIn = StoreBackends([
    BinaryStoreBackend(), BinaryStoreBackend(isCompressed: true), XMLStoreBackend(),
    MemoryStoreBackend(),
  ])
}
