import FuzzDriver
import HostileInputs

fuzz(HostileInputs.propertyList)
