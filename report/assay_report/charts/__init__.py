"""One chart per file: a certificate in, an SVG out, or None when the facts for it are absent."""
