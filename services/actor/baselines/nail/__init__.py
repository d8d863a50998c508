"""NAIL (Hausknecht, Loynd, Yang, Swaminathan and Williams, 2019): navigate, acquire, interact, learn.

Modules bid for the next command, and the highest bid has it. All of them read one knowledge graph.

Unlike in the paper, whether an answer reports an effect is read from the usual phrases of games, not by a
trained classifier; a table of affordances says how plausible a command is, not a language model; and no
`look` is typed after a walk, since the text tells the place.
"""
