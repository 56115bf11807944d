"""The fault campaign: runs in the lab that are broken at random moments, judged by what must hold all the same."""
