"""What can be seen from outside: telemetry, traces, liveness."""
