"""Athena: the lab runs queries in its dialect over Glue tables; MiniStack keeps workgroups and named queries."""
