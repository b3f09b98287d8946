"""Runs other simulators, ns-2 and ns-3, for the benchmarks, for verification and for the papers.

`harness` finds them, compiles programs for ns-3 and caches the output of long runs. Each experiment is one
script in `ns2/` or one program in `ns3/`; its first lines describe its arguments and its output.
"""
