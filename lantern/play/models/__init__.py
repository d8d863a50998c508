"""The models of a session: which are asked, where they run, what is counted."""
