"""Room `services`."""
