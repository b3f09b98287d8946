"""Reports of runs and comparisons: tables, figures, charts, and the page that holds them.

Import the module that is needed, since plotting libraries take a second to load: `page` writes the whole
report, `figures` draws with matplotlib, `charts` with Bokeh, `tables` prints.
"""
