import FuzzDriver
import HostileInputs

fuzz(HostileInputs.manifest)
