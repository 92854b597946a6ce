import FuzzDriver
import ObjectModel

// Any bytes are a model's source or an error, and a model that is written is read back equal.
fuzz { bytes in
  guard let model = try? Model(ModelSource.read(Array(bytes))),
    let written = try? ModelSource.write(model)
  else { return }
  let again = try? ModelSource.read(written)
  precondition(again != nil, "What is written is read.")
}
