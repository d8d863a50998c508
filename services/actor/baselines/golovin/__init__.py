"""Golovin (Kostka, Kwiecien, Kowalski and Rychlikowski, CIG 2017): generators of commands, tried in an
order.

The generators are battle, gathering, inventory, general commands and exploration; a roulette wheel chooses
among the weighted commands of the first that has any. What failed in a place is not tried there again before
the inventory changes, and a death is blamed on the last five commands.

Unlike in the paper, the patterns are those of a table of affordances, not 250,000 phrases; a weight has no
factor of a neural network; `look` is not typed after each command, since the text tells whether it failed.
"""
