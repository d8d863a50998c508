"""When two worlds are the same."""

import struct

from zmachine.world_hash import LARGE, attribute_changes, hasher

NO_NOISE = bytes(6)


def an_object(*, attributes: int = 0, parent: int = 0, sibling: int = 0, child: int = 0) -> bytes:
    return attributes.to_bytes(6, "big") + struct.pack(">HHHH", parent, sibling, child, 900)


def hashed(
    *objects: bytes, noise: bytes = NO_NOISE, more: bytes = b"", wanderers: frozenset[int] = frozenset()
) -> str:
    return hasher(LARGE, len(objects), noise, wanderers).hash(b"".join(objects), more)


def test_the_hash_tells_places_and_attributes_apart() -> None:
    worlds = [
        hashed(an_object(parent=1), an_object()),
        hashed(an_object(), an_object(parent=1)),
        hashed(an_object(parent=2), an_object()),
        hashed(an_object(parent=1, attributes=1), an_object()),
        hashed(an_object(parent=1), an_object(), more=b"\1"),
    ]

    assert len(set(worlds)) == len(worlds)
    assert all(len(world) == 16 for world in worlds)


def test_the_order_of_siblings_is_no_difference() -> None:
    assert hashed(an_object(parent=1, sibling=2)) == hashed(an_object(parent=1, child=3))


def test_an_attribute_that_is_only_the_parsers_mark_is_no_difference() -> None:
    before, after = an_object(attributes=0b0001), an_object(attributes=0b0101)
    noise = attribute_changes(LARGE, before, after)

    assert hashed(before) != hashed(after)
    assert hashed(before, noise=noise) == hashed(after, noise=noise)
    assert hashed(before, noise=noise) != hashed(an_object(attributes=0), noise=noise)


def test_where_a_wanderer_is_makes_no_difference_but_how_they_are_does() -> None:
    here, there = [an_object(parent=at) for at in (1, 2)]
    worlds = [hashed(an_object(), thief, wanderers=frozenset({2})) for thief in (here, there)]
    armed = hashed(an_object(), an_object(parent=1, attributes=1), wanderers=frozenset({2}))

    assert worlds[0] == worlds[1] != armed
    assert hashed(an_object(), here) != hashed(an_object(), there)
