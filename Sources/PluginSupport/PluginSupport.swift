// The modules that the author of a backend needs, with one import.
@_exported public import DurableFiles
@_exported public import ObjectModel
@_exported public import PropertyLists
@_exported public import Rows
@_exported public import StoreInterface
