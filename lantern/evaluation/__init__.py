"""Measures agents: plans of plays, workers that play them, results, reports and comparisons."""
