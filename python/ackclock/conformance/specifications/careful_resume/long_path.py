"""A round trip of more than ten saved ones shows another path."""

from ackclock.conformance.specifications.careful_resume.short_path import LONG

CASE = LONG
