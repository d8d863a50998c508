"""What an evaluation came to: statistics, tables, charts, the page, and the comparison of two agents."""
