"""The embedded AWS of the lab: MiniStack, and our hands where it lacks something that the product stands on.

Nothing of the product knows that this exists. One module per service; `start.py` puts them together.
"""
