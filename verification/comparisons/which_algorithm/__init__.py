"""Every end-to-end algorithm on every typical path, alone and with a CUBIC flow."""
