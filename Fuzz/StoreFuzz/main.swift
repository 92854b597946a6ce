import FuzzDriver
import HostileInputs

fuzz(HostileInputs.store)
