"""A session whose actions come one by one from a caller in this process: an MCP client, a training loop."""
