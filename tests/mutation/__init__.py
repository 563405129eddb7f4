"""Mutation test of the standard patterns: each script is changed in one place, and what is there must notice.

    make mutants                                    # all of them, a few minutes
    PYTHONPATH=tests python -m mutation refine      # those of one pattern, with the survivors

In: the patterns of `std/` and their cases. Out: how many mutants the check finds alone, how many lose a proved
invariant, how many a case finds, and each survivor as a diff. What cannot be noticed, since it means the same, stands
in `equivalent.yaml`, each with a reason.
"""
