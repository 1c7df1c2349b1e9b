"""The figures of a report; each gives a ``Drawn``, or None if there is nothing to show."""
