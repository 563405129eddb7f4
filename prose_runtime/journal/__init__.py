"""Runs that survive: what a run does is written down before anything depends on it, and told again later (layer 5)."""
