"""The lab: the whole service on one machine, from the same template and handlers, with real tools between real hosts."""
