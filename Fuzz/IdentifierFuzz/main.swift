import FuzzDriver
import ObjectModel

// Any 64 bits are a key that comes apart and together again.
fuzz { bytes in
  guard bytes.count >= 8 else { return }
  let key = ObjectKey(rawValue: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
  precondition(ObjectKey(entity: key.entity, number: key.number) == key)
}
