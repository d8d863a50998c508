"""The memory: what is believed of each session's world, what was read, and what sessions teach.

The beliefs are a fold in process memory, so that no fragment waits for a disk. The graphs in files are views
of the records, built when somebody asks; only the experience is kept on its own.
"""
