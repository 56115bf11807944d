"""The lab's embedded AWS: MiniStack, and whatever the product needs that MiniStack lacks.

A request goes to the router. If the lab has the action, it answers; otherwise the request goes on to MiniStack. Each
service is a package; `start.py` assembles them. Only `embedded.py` imports MiniStack.
"""
