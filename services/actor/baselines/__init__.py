"""Published agents of the text-adventure competition, as policies that play alone (decision 0034)."""
