"""Room `casebook`."""
