import FuzzDriver
import ObjectModel

// Any bytes are a compiled model or an error.
fuzz { bytes in
  guard let description = try? CompiledModel.read(Array(bytes), path: "fuzz"),
    let model = try? Model(description)
  else { return }
  _ = model.versionHashes
}
