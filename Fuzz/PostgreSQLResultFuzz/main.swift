import FuzzDriver
import HostileInputs

fuzz(HostileInputs.postgreSQLResult)
