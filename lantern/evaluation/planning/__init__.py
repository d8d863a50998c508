"""Makes a plan: from a file or from options, on what there is."""
