"""The messages of the mesh: frozen, versioned, and importing nothing else of ours."""
