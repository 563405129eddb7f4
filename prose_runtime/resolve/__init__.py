"""Room `resolve`."""
