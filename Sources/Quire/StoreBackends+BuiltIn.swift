import BinaryStore
public import StoreInterface
import XMLStore

extension StoreBackends {
  /// The kinds of stores that Quire brings along.
  public static let builtIn = StoreBackends([
    BinaryStoreBackend(), BinaryStoreBackend(isCompressed: true), XMLStoreBackend(),
    MemoryStoreBackend(),
  ])
}
