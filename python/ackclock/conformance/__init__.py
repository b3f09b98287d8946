"""Conformance: whether an algorithm does what its specification says, case by case.

A specification is a folder in `specifications`, and each of its cases is a file there.
"""
