import FuzzDriver
import HostileInputs

fuzz(HostileInputs.predicate)
