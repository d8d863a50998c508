"""Who wanders about by themselves."""

from zmachine.emulator.probes import moves_between, wanderers_in
from zmachine.object_table import Tree


def a_tree(*parents: int) -> Tree:
    nothing = [0] * (len(parents) + 1)
    return Tree([0, *parents], nothing, nothing)


def test_who_is_in_three_places_while_nothing_is_done_is_a_wanderer() -> None:
    trees = [a_tree(4, 4, 4, 0), a_tree(5, 4, 4, 0), a_tree(6, 5, 4, 0), a_tree(4, 4, 4, 0)]

    assert wanderers_in(trees) == {1}


def test_what_leaves_the_world_or_comes_into_it_has_not_moved() -> None:
    assert moves_between(a_tree(2, 0, 0), a_tree(0, 3, 0)) == []
