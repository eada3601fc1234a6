"""A fuzzer: random tables and plans, judged by a counter that shares no code with Shoal.

``python -m fuzz --help`` says how to run it; docs/contribute.md says how to read it.
"""
