"""The services of the mesh; none of them imports another."""
