"""How promising a language model finds each of the possible actions: a prior for a search."""
