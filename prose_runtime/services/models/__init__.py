"""Models as services: what is sent to them, over which protocol, and what their answers mean."""
