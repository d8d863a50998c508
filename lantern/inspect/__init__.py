"""Sessions looked into: debugger, replay, verification, comparison, forks."""
