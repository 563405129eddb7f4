"""Sentences of contracts and cases as rules: read here, decided by `runtime.clauses`."""
