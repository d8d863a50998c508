"""The policy that plays by rule."""
