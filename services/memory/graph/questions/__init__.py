"""Questions in words that span sessions or need more than one hop, answered by queries of the graph."""
