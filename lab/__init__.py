"""The lab: the whole service on one machine, from the same template, with real tools between real hosts."""
