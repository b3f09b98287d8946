"""The commands, one file each: the options of a command, and the function that carries it out.

A command's options are a dataclass. A field is an option or an argument, with its name, unit, help and
default. A field whose type is a dataclass itself is a group of options that several commands have. `--help`
imports all modules of this folder, so the functions themselves import the modules that load slowly.
"""
