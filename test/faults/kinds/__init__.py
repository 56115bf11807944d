"""The kinds of faults, a file for each part of the service that they befall."""
