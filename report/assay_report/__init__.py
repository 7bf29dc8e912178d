"""Renders certificates for people: HTML, Markdown, text. Reads JSON only; judges nothing."""
