"""Deciding the rules that `resolve.clauses` read, over the values, the calls and the end of a run."""
