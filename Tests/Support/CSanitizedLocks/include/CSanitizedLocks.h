// Nothing is called from here: what is linked in stands in for what would be linked otherwise.
