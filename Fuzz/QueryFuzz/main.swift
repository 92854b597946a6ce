import FuzzDriver
import HostileInputs

fuzz(HostileInputs.query)
