"""`prose`: an interpreter for OpenProse pattern files."""
