"""The league: every algorithm of the catalogue by the criteria of RFC 9743, published."""
