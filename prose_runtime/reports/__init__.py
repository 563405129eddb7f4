"""Room `reports` (layer 6): what is shown of programs and of runs, as text.

In: resolved programs, outcomes. Out: structures, and renderers of each. Nothing here prints.
"""
