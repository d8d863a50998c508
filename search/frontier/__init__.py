"""The frontier search: walking is free, deeds make cells."""
