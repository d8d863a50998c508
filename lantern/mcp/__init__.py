"""Lantern as an MCP server: its games and its records as tools, resources and prompts."""
