"""The sections of a page, one module a kind of record."""
