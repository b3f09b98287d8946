"""Lets entries of the index lead to the section in which they are.

An entry's own place is the paragraph below the heading, which a browser shows without the heading; before a
comment or a block of code it is no place at all.
"""

from docutils import nodes
from sphinx.addnodes import index
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


class ToSections(SphinxTransform):
    """Replaces the places of entries."""

    default_priority = 250
    """Before the places are handed to what follows them, at 260."""

    def apply(self, **kwargs: object) -> None:
        """Changes the entries, and removes their places."""
        del kwargs
        for entries in list(self.document.findall(index)):
            section = entries.parent
            place = entries.next_node(nodes.target, descend=False, siblings=True)
            if not isinstance(section, nodes.section) or place is None:
                continue
            # Modules of the interface have places of their own, as `module-ackclock.papers`.
            if not all(name.startswith("index-") for name in place["ids"]):
                continue
            (name, *_) = section["ids"]
            entries["entries"] = [
                (kind, said, name if at in place["ids"] else at, main, key)
                for kind, said, at, main, key in entries["entries"]
            ]
            section.remove(place)


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_transform(ToSections)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
