"""Sessions: started, played, resumed, verified."""
