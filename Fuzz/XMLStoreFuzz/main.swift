import FuzzDriver
import HostileInputs

fuzz(HostileInputs.xmlStore)
