"""Room `syntax`."""
