import BinaryStore
public import DurableFiles
public import StoreInterface
import XMLStore

extension StoreBackends {
  /// The kinds of stores that Quire brings along.
  public static let builtIn = StoreBackends([
    BinaryStoreBackend(), BinaryStoreBackend(isCompressed: true), XMLStoreBackend(),
    MemoryStoreBackend(),
  ])
}

extension StorePlaces {
  /// Stores of all built-in kinds, in files.
  public static let builtIn = StorePlaces(.builtIn, on: RealDisk())
}
