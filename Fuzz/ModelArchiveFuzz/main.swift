import FuzzDriver
import HostileInputs

fuzz(HostileInputs.modelArchive)
