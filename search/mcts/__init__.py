"""Monte Carlo tree search, led by a language model (MC-DML), and what it is compared with."""
