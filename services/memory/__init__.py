"""The memory: what is believed of each session's world, and the history of these beliefs.

The beliefs are a fold in process memory, so that no fragment waits for a disk. A graph database keeps their
history as a view: it is written in batches, may be deleted at any time, and is rebuilt from the record.
"""
