"""The fragments of a step, heard and assembled."""
