"""Starts the embedded AWS, deploys to it, runs a plan and shows what comes of it."""
