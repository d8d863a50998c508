"""The commands, one module each; `lantern.cli` puts them together."""
