"""The lab's embedded AWS: MiniStack, and whatever the product needs that MiniStack lacks.

Every request goes to the router. The lab answers the actions that it has, and MiniStack all others. Each service is a
package; `start.py` assembles them. Only `embedded.py` imports MiniStack.
"""
