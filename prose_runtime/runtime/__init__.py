"""Room `runtime`."""
