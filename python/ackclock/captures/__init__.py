"""Reads packet captures of other tools: files, link layers, conversations, and the path behind them."""
