"""Room `syntax` (layer 2): the nodes of documents and scripts, reading them, and printing scripts back."""

from prose_runtime.syntax.fence import Fence
from prose_runtime.syntax.printer import Unprintable, print_expression, print_script, print_statement
from prose_runtime.syntax.read import read
from prose_runtime.syntax.script import parse_script
from prose_runtime.syntax.walk import children, same_tree, walk

__all__ = [
    "Fence",
    "Unprintable",
    "children",
    "parse_script",
    "print_expression",
    "print_script",
    "print_statement",
    "read",
    "same_tree",
    "walk",
]
