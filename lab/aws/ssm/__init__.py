"""Systems Manager: documents, Run Command on the lab's agent, managed instances; MiniStack keeps the parameters."""
