// swift-format-ignore-file
// Made from the model "Zoo", by Quire. Do not edit: change the model and make it anew.

public import Quire

/// An object of the entity `Type`.
///
/// The class is not called `Type`, since that name is taken.
@Entity("Type")
nonisolated public final class TypeObject: Creature {
}
