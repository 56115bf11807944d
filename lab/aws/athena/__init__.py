"""Athena: queries in its own dialect, over the objects of Glue tables, in workgroups that enforce their settings.

MiniStack keeps workgroups and named queries; executions are the lab's.
"""
