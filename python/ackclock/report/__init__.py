"""Reports of runs and comparisons: tables, figures, charts, and the page that holds them.

Each module is loaded by itself, as plotting libraries take a second: `page` writes the whole report,
`figures` draws with matplotlib, `charts` with Bokeh, `tables` prints.
"""
