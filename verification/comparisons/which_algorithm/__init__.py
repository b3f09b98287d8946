"""Every end-to-end algorithm on every typical path, alone and beside a CUBIC flow."""
