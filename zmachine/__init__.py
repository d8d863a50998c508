"""The Z-machine: story files, their tables, the emulator, and what a text says."""
