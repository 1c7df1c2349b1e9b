"""The ``python -m verify`` command: one file a subcommand."""
