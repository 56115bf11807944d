"""The SSM agent of the lab's hosts, which runs Command documents by the rules observed on the real agent."""
