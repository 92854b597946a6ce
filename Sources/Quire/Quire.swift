// The umbrella module: `import Quire` gives an application the types that it names, and no more. A program that builds
// models in code, and a backend, import the modules beneath: `ObjectModel`, `StoreInterface`, `Rows`. Modules with
// operators are exported whole, because an import of a single type does not import operators.
@_exported public import Entities
public import ObjectModel
@_exported public import ObjectQuery

@_exported public import struct BinaryStore.BinaryStoreBackend
@_exported public import struct BinaryStore.BinaryStoreOptions
@_exported public import enum BinaryStore.HistoryPolicy
@_exported public import struct Documents.Attachment
@_exported public import struct Documents.AutosaveTiming
@_exported public import class Documents.Document
@_exported public import struct Documents.DocumentError
@_exported public import struct Documents.DocumentHooks
@_exported public import struct Documents.DocumentOptions
@_exported public import enum Documents.DocumentState
@_exported public import class Documents.ManagedDocument
@_exported public import struct Documents.VersionPolicy
@_exported public import struct Migration.EntityMapping
@_exported public import class Migration.EntityMigrationPolicy
@_exported public import struct Migration.KnownVersion
@_exported public import struct Migration.MappingModel
@_exported public import enum Migration.MappingValue
@_exported public import struct Migration.MigrationError
@_exported public import class Migration.MigrationManager
@_exported public import struct Migration.MigrationPlan
@_exported public import struct Migration.MigrationProgress
@_exported public import struct Migration.MigrationReport
@_exported public import struct Migration.MigrationStage
@_exported public import struct Migration.Migrator
@_exported public import protocol Migration.ModelVersion
@_exported public import struct Migration.PropertyMapping
@_exported public import struct Migration.WrittenMapping
@_exported public import enum ModelNotations.ModelSource
@_exported public import struct ModelNotations.ModelVersions
@_exported public import struct ObjectGraph.AttributeOption
@_exported public import struct ObjectGraph.BatchDeleteRequest
@_exported public import struct ObjectGraph.BatchInsertRequest
@_exported public import struct ObjectGraph.BatchResult
@_exported public import enum ObjectGraph.BatchResultType
@_exported public import struct ObjectGraph.BatchUpdateRequest
@_exported public import struct ObjectGraph.CompositePart
@_exported public import struct ObjectGraph.CompositeParts
@_exported public import protocol ObjectGraph.CompositeValue
@_exported public import struct ObjectGraph.ConstraintConflict
@_exported public import protocol ObjectGraph.ContextActor
@_exported public import struct ObjectGraph.ContextChange
@_exported public import enum ObjectGraph.ContextConcurrency
@_exported public import struct ObjectGraph.ContextError
@_exported public import struct ObjectGraph.EntityDeclaration
@_exported public import struct ObjectGraph.EntityOption
@_exported public import struct ObjectGraph.EntityProperty
@_exported public import struct ObjectGraph.FetchRequest
@_exported public import struct ObjectGraph.FetchedPlace
@_exported public import class ObjectGraph.FetchedResults
@_exported public import struct ObjectGraph.FetchedResultsChange
@_exported public import struct ObjectGraph.FetchedSection
@_exported public import struct ObjectGraph.FetchedSections
@_exported public import struct ObjectGraph.FetchedSnapshot
@_exported public import struct ObjectGraph.HistoryChange
@_exported public import class ObjectGraph.HistoryObserver
@_exported public import struct ObjectGraph.HistoryRequest
@_exported public import struct ObjectGraph.HistoryToken
@_exported public import struct ObjectGraph.HistoryTransaction
@_exported public import class ObjectGraph.LiveResult
@_exported public import class ObjectGraph.ManagedObject
@_exported public import class ObjectGraph.ManagedObjectContext
@_exported public import struct ObjectGraph.MergeConflict
@_exported public import struct ObjectGraph.MergePolicy
@_exported public import enum ObjectGraph.MergeResolution
@_exported public import class ObjectGraph.PersistentContainer
@_exported public import class ObjectGraph.PersistentStore
@_exported public import class ObjectGraph.PersistentStoreCoordinator
@_exported public import struct ObjectGraph.QueryGeneration
@_exported public import protocol ObjectGraph.RelatedCollection
@_exported public import struct ObjectGraph.RelatedObjects
@_exported public import struct ObjectGraph.SnapshotEvents
@_exported public import protocol ObjectGraph.StoreMigrator
@_exported public import class ObjectGraph.UndoStack
@_exported public import struct ObjectGraph.ValidationFailure
@_exported public import struct ObjectGraph.ValueTransformer
@_exported public import protocol ObjectModel.AttributeValue
@_exported public import protocol ObjectModel.BoundedAttributeValue
@_exported public import protocol ObjectModel.CodableValue
@_exported public import struct ObjectModel.Model
@_exported public import struct ObjectModel.ModelError
@_exported public import struct ObjectModel.ObjectID
@_exported public import struct StoreInterface.StoreBackends
@_exported public import struct StoreInterface.StoreError
@_exported public import struct StoreInterface.StoreMetadata
@_exported public import struct StoreInterface.StorePlaces
@_exported public import struct StoreInterface.StoreType

/// The type of a value in a row.
public typealias StoredValue = Value
