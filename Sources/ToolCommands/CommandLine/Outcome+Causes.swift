import CommandInterface
import StoreInterface

extension Outcome {
  /// Returns the error with the sentences about the changes of the command.
  ///
  /// - Parameter cause: The original error. If its code is `uncertain`, its message shows whether the change counts.
  func completing(_ error: CommandError, of cause: any Error) -> CommandError {
    completing(error, isUncertain: (cause as? StoreError)?.code == .uncertain)
  }
}
