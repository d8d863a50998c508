"""The memory: what is believed of one session's world, and the history of those beliefs.

What is believed is a fold in memory, so a fragment never waits for a disk; the graph database behind
them is a view, written in batches, that may be deleted at any time and is rebuilt from the record.
"""
