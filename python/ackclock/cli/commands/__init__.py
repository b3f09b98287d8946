"""The commands, a file each: the options that a command has, and what it does with them.

A command's options are a dataclass. A field is an option or an argument, with its name, unit, help and
default. A field whose type is a dataclass itself is a group of options that several commands have. `--help`
imports all modules of this folder, so the functions import what is slow to load.
"""
