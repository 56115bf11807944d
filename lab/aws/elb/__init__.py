"""Elastic Load Balancing: Network Load Balancers in the lab's network."""
