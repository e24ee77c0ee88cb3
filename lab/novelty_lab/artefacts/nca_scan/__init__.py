"""Where do 86 to 89 bits come from? One change of an open choice at a time, all else held."""
