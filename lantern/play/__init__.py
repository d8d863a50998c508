"""A session played from the command line."""
