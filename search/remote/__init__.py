"""An environment in a process of its own: it may crash or hang without harm to whoever plays in it."""
