"""Systems Manager: documents, Run Command on the lab's agent, managed instances.

MiniStack keeps the parameters. What a document is and how it runs is the agent's (lab/agent/).
"""
