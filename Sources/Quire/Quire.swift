// The umbrella: `import Quire` gives an application everything it needs.
@_exported public import BinaryStore
@_exported public import Documents
@_exported public import Migration
@_exported public import ObjectGraph
@_exported public import ObjectModel
@_exported public import ObjectQuery
@_exported public import Rows
@_exported public import StoreInterface
@_exported public import XMLStore
