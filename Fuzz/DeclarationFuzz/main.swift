import FuzzDriver
import HostileInputs

fuzz(HostileInputs.declaration)
